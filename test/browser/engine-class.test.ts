// The class of a browser's engine: a page with schedules for both is asked of its engine when it loads, and says which answers.

import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PageServer, serveFolder } from "../support/browser.ts";
import { writeApp } from "../support/build-app.ts";
import type { RunningEngine } from "../support/engine/engine.ts";
import { inEngineInTurn } from "../support/engine/engines.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { openPage } from "../support/page.ts";

const root = writeApp({
  "out/index.html": '<!doctype html><link rel="icon" href="data:,"><script type="module" src="main.js"></script>',
  "src/gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 24, N: 40, K: 16 });\n',
  "src/main.js": `
    import inCode from "./gemm.op.ts?tune=wasm";
    import file from "./gemm.op.ts?tune=wasm&sync=0";
    import threaded from "./gemm.op.ts?tune=wasm&M=96&threads=2";
    globalThis.kernels = { inCode, file, threaded };`,
});

beforeAll(async () => {
  await build({
    absWorkingDir: root,
    entryPoints: ["src/main.js"],
    outdir: "out",
    bundle: true,
    format: "esm",
    plugins: [
      kernelPlugin.esbuild({
        root,
        mode: "predict",
        engines: ["x86", "arm", "x86-relaxed", "arm-relaxed"],
        logLevel: "silent",
      }),
    ],
  });
});

const processors = process.arch === "x64" ? "wasm-x86" : "wasm-arm";

inEngineInTurn("a page with schedules for each class of engines in", ({ launch, name }) => {
  // WebKitGTK has no relaxed SIMD.
  const here = name === "WebKit" ? processors : `${processors}-relaxed`;
  let engine: RunningEngine;
  let server: PageServer;
  beforeAll(async () => {
    engine = await launch();
  });
  afterAll(async () => {
    await engine?.close();
    await server?.close();
  });

  it("answers by the one for this engine's class, from the code, a file and with threads", async () => {
    server = await serveFolder(join(root, "out"), {});
    const { page, problems } = await openPage(engine, server.url);
    const answers = await page.evaluate(`Promise.all(Object.values(kernels).map(async (kernel) => {
      await kernel.ready();
      const { M, N, K } = kernel.info.parameters;
      const C = kernel(new Float32Array(M * K).fill(1), new Float32Array(K * N).fill(2));
      return [kernel.info.target, C.length === M * N && C.every((it) => it === 2 * K)];
    }))`);
    expect(answers).toEqual([
      [here, true],
      [here, true],
      [here, true],
    ]);
    expect(await problems()).toEqual([]);
    await page.close();
  });
});
