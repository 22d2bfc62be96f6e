// Behaviour of webpack and Rspack beyond that of all hosts (test/e2e/hosts.test.ts): CommonJS, entries in folders,
// pages, aliases, their cache, watching.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type RspackOptions, rspack } from "@rspack/core";
import { afterEach, describe, expect, vi } from "vitest";
import { webpack } from "webpack";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import type { KernelRequest } from "../../src/plugin/kernel/kernel-request.ts";
import {
  blendCall,
  outputFiles,
  recordingCompiler,
  runMoved,
  runWebpack,
  type WebpackCompiler,
  webpackOptions,
  writeApp,
} from "../support/build-app.ts";
import { gemmText } from "../support/compile-app.ts";
import { eventually } from "../support/eventually.ts";
import { expected, fakeKernel } from "../support/fake-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

const app = (specifier: string): string =>
  writeApp({
    "src/main.js": `import blend from ${JSON.stringify(specifier)};\n${blendCall}`,
    "src/blend.op.ts": "export default 1;",
  });
const asFile = "./blend.op.ts?tune=wasm&sync=0";

interface Bundler {
  readonly name: string;
  readonly make: (root: string, compile: CompileKernel, options: object) => WebpackCompiler;
}
const bundlers: readonly Bundler[] = [
  {
    name: "webpack",
    make: (root, compile, options) =>
      webpack({
        ...webpackOptions(root),
        ...options,
        plugins: [createKernelPlugin(compile).webpack({ root, dts: true, logLevel: "silent", mode: "tune" })],
      }) as WebpackCompiler,
  },
  {
    name: "rspack",
    make: (root, compile, options) =>
      rspack({
        ...(webpackOptions(root) as RspackOptions),
        ...options,
        plugins: [createKernelPlugin(compile).rspack({ root, dts: true, logLevel: "silent", mode: "tune" })],
      }) as WebpackCompiler,
  },
];

describe.each(bundlers)("$name", ({ name, make }) => {
  turn("writes CommonJS, with the entry in a folder", async () => {
    const root = app(asFile);
    const commonJs = {
      entry: { "deep/main": join(root, "src/main.js") },
      output: { path: join(root, "out"), filename: "[name].cjs" },
      experiments: {},
    };
    await runWebpack(make(root, recordingCompiler(fakeKernel()).compile, commonJs));
    expect(outputFiles(root)).toHaveLength(2);
    expect(runMoved(root, "deep/main.cjs")).toEqual(["wasm", ...expected("wasm")]);
  });

  turn("asks for the runtime by no absolute path, of which it would make names of variables", async () => {
    const root = app("./blend.op.ts?tune=wasm");
    const apart = { mode: "development", devtool: false };
    const compiler = make(root, recordingCompiler(fakeKernel()).compile, apart);
    const requests: string[] = [];
    const { hooks } = compiler as unknown as ReturnType<typeof webpack>;
    hooks.done.tap("test", (stats) => {
      const { modules = [] } = stats.toJson({ all: false, modules: true, reasons: true });
      for (const { reasons = [] } of modules) requests.push(...reasons.map(({ userRequest }) => userRequest ?? ""));
    });
    await runWebpack(compiler);
    const ofRuntime = requests.filter((request) => /runtime\.js$/.test(request));
    expect(ofRuntime).toContainEqual(expect.stringMatching(/^\.\.?\//));
    expect(ofRuntime.filter((request) => isAbsolute(request))).toEqual([]);
    expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
  });

  turn(
    "puts a small module into the code of a page, and one that is to be a file where the page's files are",
    async () => {
      const inline = app("./blend.op.ts?tune=wasm");
      const page = { target: "web", output: { path: join(inline, "out"), filename: "main.mjs" }, experiments: {} };
      await runWebpack(make(inline, recordingCompiler(fakeKernel()).compile, page));
      expect(outputFiles(inline)).toEqual(["main.mjs"]);

      const root = app(asFile);
      const output = { path: join(root, "out"), filename: "main.mjs", publicPath: "https://files.example/app/" };
      await runWebpack(make(root, recordingCompiler(fakeKernel()).compile, { ...page, output }));
      const [file] = outputFiles(root).filter((path) => path.endsWith(".wasm"));
      const text = readFileSync(join(root, "out/main.mjs"), "utf8");
      expect(text).toContain(`"https://files.example/app/"`);
      expect(text).toContain(file);
      expect(text).not.toContain(root);
    },
  );

  turn("finds operators by the bundler's aliases", async () => {
    const root = app("ops/blend.op.ts?tune=wasm");
    const { compile, requests } = recordingCompiler(fakeKernel());
    await runWebpack(make(root, compile, { resolve: { alias: { ops: join(root, "src") } } }));
    expect(requests).toMatchObject([{ opFile: join(root, "src/blend.op.ts") }]);
    expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
  });

  turn.each(["node", "web"])("leaves nothing of an unused kernel in minified code for %s", async (target) => {
    const root = writeApp({
      "src/main.js": 'import blend from "./blend.op.ts?tune=wasm&sync=0";\nconsole.log("[]");',
      "src/blend.op.ts": "export default 1;",
    });
    const minified = { target, optimization: { minimize: true } };
    await runWebpack(make(root, recordingCompiler(fakeKernel()).compile, minified));
    expect(outputFiles(root)).toEqual(["main.mjs"]);
  });

  turn("has the files and the types again when all comes from the bundler's cache", async () => {
    const root = app(asFile);
    const types = join(root, "kernel-imports.d.ts");
    const directory = join(root, "cache");
    const cached =
      name === "webpack"
        ? { cache: { type: "filesystem", cacheDirectory: directory } }
        : { cache: { type: "persistent", storage: { type: "filesystem", directory } } };
    for (let build = 0; build < 4; build++) {
      const { compile, requests } = recordingCompiler(fakeKernel());
      rmSync(types, { force: true });
      await runWebpack(make(root, compile, cached));
      expect(readFileSync(types, "utf8")).toContain('declare module "*/blend.op.ts?tune=wasm&sync=0"');
      if (build === 3) expect(requests).toHaveLength(name === "webpack" ? 0 : 1);
      expect(outputFiles(root)).toHaveLength(2);
      expect(runMoved(root)).toEqual(["wasm", ...expected("wasm")]);
    }
  });

  turn("builds from its cache where our store is gone", async () => {
    const root = writeApp({
      "src/main.js": `import gemm from "./gemm.op.ts?tune=wasm&sync=0";
        console.log(JSON.stringify(gemm(new Float32Array(64).fill(2), new Float32Array(128).fill(3))[0]));`,
      "src/gemm.op.ts": gemmText(),
    });
    const directory = join(root, "cache");
    const cached =
      name === "webpack"
        ? { cache: { type: "filesystem", cacheDirectory: directory } }
        : { cache: { type: "persistent", storage: { type: "filesystem", directory } } };
    const requests: KernelRequest[] = [];
    const compile: CompileKernel = (request, services) => {
      requests.push(request);
      return compileKernel({ ...request, mode: "predict" }, services);
    };
    for (let build = 0; build < 4; build++) {
      if (build === 3) rmSync(join(root, "node_modules/.cache/unplugin-kernel"), { recursive: true });
      await runWebpack(make(root, compile, cached));
      expect(runMoved(root)).toBe(48);
    }
    expect(requests.length).toBeLessThan(name === "webpack" ? 3 : 5);
  });

  let stop: () => Promise<void> = async () => {};
  afterEach(() => stop());

  turn("compiles again when the operator changes, and not otherwise", async () => {
    const root = app(asFile);
    const { compile, requests } = recordingCompiler(fakeKernel());
    const done = vi.fn();
    const compiler = make(root, compile, {});
    const watching = compiler.watch({ aggregateTimeout: 20 }, done);
    stop = () => new Promise((resolve) => watching.close(() => resolve()));
    await eventually(() => expect(done).toHaveBeenCalled());
    // webpack looks at a module that is only in memory twice.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = requests.length;
    expect(before).toBeLessThanOrEqual(2);
    writeFileSync(join(root, "src/blend.op.ts"), "export default 2;");
    await eventually(() => expect(requests).toHaveLength(before + 1));
    rmSync(join(root, "src/unrelated.js"), { force: true });
    writeFileSync(join(root, "src/unrelated.js"), "");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(requests).toHaveLength(before + 1);
  });
});
