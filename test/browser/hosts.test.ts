// Pages built by bundlers other than Vite, in the engines of browsers: where their kernels' workers come from.

import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { afterAll, beforeAll, expect } from "vitest";
import { webpack } from "webpack";
import { type PageServer, serveFolder } from "../support/browser.ts";
import { runWebpack, type WebpackCompiler, writeApp } from "../support/build-app.ts";
import type { RunningEngine } from "../support/engine/engine.ts";
import { inPageEngines } from "../support/engine/engines.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";
import { openPage } from "../support/page.ts";

const turn = inTurn(5);

const operator = 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 24, N: 40, K: 16 });\n';

const program = (before = ""): string => `${before}
  import gemm from "./gemm.op.ts?tune=wasm&sync=0";
  import inlined from "./gemm.op.ts?tune=wasm&M=32";
  globalThis.kernels = { gemm, inlined };
  globalThis.sums = async () => {
    await gemm.ready();
    const of = (kernel) => [new Float32Array(kernel.info.parameters.M * 16).fill(2), new Float32Array(16 * 40).fill(3)];
    const sum = (C) => C.reduce((sum, it) => sum + it, 0);
    return [sum(gemm(...of(gemm))), sum(await gemm.async(...of(gemm))), sum(await inlined.async(...of(inlined)))];
  };`;
const sums = [24 * 40 * 96, 24 * 40 * 96, 32 * 40 * 96];

const page = '<!doctype html><link rel="icon" href="icon.svg"><script type="module" src="main.js"></script>';
const app = (before = ""): string =>
  writeApp({
    "src/main.js": program(before),
    "src/gemm.op.ts": operator,
    "out/icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "out/index.html": page,
  });

const settings = (root: string) => ({ root, logLevel: "silent", mode: "predict" }) as const;

async function withWebpack(root: string): Promise<void> {
  const output = { path: join(root, "out"), filename: "main.js" };
  const entry = join(root, "src/main.js");
  const plugins = [kernelPlugin.webpack(settings(root))];
  const options = {
    context: root,
    mode: "production",
    target: "web",
    entry,
    output,
    performance: false,
    plugins,
  } as const;
  await runWebpack(webpack(options) as WebpackCompiler);
}

async function withRollup(root: string): Promise<void> {
  const bundle = await rollup({ input: join(root, "src/main.js"), plugins: [kernelPlugin.rollup(settings(root))] });
  await bundle.write({ dir: join(root, "out"), format: "es", entryFileNames: "main.js" });
  await bundle.close();
}

async function withEsbuild(root: string, format: "esm" | "iife"): Promise<void> {
  await esbuild({
    absWorkingDir: root,
    entryPoints: ["src/main.js"],
    bundle: true,
    format,
    outfile: "out/main.js",
    minify: true,
    plugins: [kernelPlugin.esbuild(settings(root))],
  });
}

const policy = { "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'" };
const builders: readonly (readonly [string, (root: string) => Promise<void>])[] = [
  ["webpack", withWebpack],
  ["rollup", withRollup],
  ["esbuild", (root) => withEsbuild(root, "esm")],
];

/** Each is built once, for all engines. */
const roots = {
  strict: builders.map(([name, build]) => [name, app(), build] as const),
  elsewhere: app('__webpack_public_path__ = new URLSearchParams(location.search).get("files");'),
  classic: app(),
};
beforeAll(async () => {
  for (const [, root, build] of roots.strict) await build(root);
  await withWebpack(roots.elsewhere);
  await withEsbuild(roots.classic, "iife");
});

inPageEngines("a page in", ({ launch }) => {
  const servers: PageServer[] = [];
  let engine: RunningEngine;
  beforeAll(async () => {
    engine = await launch();
  });
  afterAll(async () => {
    await engine?.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  async function serve(root: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const server = await serveFolder(join(root, "out"), headers);
    servers.push(server);
    return server.url;
  }

  /** Results of the page's kernels, the sources of their workers, and the page's problems. */
  async function results(url: string) {
    const { page, problems } = await openPage(engine, url);
    const found = await page.evaluate("sums()");
    const workers = [...new Set((await page.workers()).map((worker) => new URL(worker).protocol))];
    const complaints = await problems();
    await page.close();
    return { sums: found, workers, problems: complaints };
  }

  turn.each(roots.strict)("by %s works under a strict policy, calls of async in workers", async (_, root) => {
    expect(await results(await serve(root, policy))).toEqual({ sums, workers: ["http:"], problems: [] });
  });

  turn("that has its files from another origin runs the workers' script from there", async () => {
    const files = await serve(roots.elsewhere, { "Access-Control-Allow-Origin": "*" });
    const url = `${await serve(roots.elsewhere, {})}?files=${encodeURIComponent(files)}`;
    expect(await results(url)).toEqual({ sums, workers: ["blob:"], problems: [] });
  });

  turn("with a classic script, which knows no address of its own, has the workers' script in it", async () => {
    expect(await results(await serve(roots.classic, {}))).toEqual({ sums, workers: ["blob:"], problems: [] });
  });
});
