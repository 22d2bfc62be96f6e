// Cost of kernels for a page, and secrets that a build must keep: bytes of the output, the script of workers, paths of
// the building machine.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rspack } from "@rspack/core";
import { build as esbuild, transformSync } from "esbuild";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { describe, expect, it } from "vitest";
import { webpack } from "webpack";
import { recordingCompiler, runWebpack, writeApp } from "../support/build-app.ts";
import { fakeKernel } from "../support/fake-kernel.ts";
import { createKernelPlugin, type KernelPlugin } from "../support/kernel-plugin.ts";

type Build = (root: string, plugin: KernelPlugin) => Promise<unknown>;
const options = { logLevel: "silent" } as const;
const out = (root: string): string => join(root, "out");

const webpackLike = (root: string) => ({
  context: root,
  mode: "production" as const,
  target: "web" as const,
  devtool: "source-map" as const,
  entry: { main: join(root, "src/main.js") },
  output: { path: out(root), filename: "[name].js" },
  performance: false as const,
});

/** Builds for pages, with source maps, minified where the host has a minifier. */
const builds: Readonly<Record<string, Build>> = {
  vite: (root, plugin) =>
    vite({
      root,
      logLevel: "silent",
      plugins: [plugin.vite(options)],
      build: { outDir: "out", sourcemap: true, rollupOptions: { input: join(root, "src/main.js") } },
    }),
  async rollup(root, plugin) {
    const build = await rollup({ input: join(root, "src/main.js"), plugins: [plugin.rollup(options)] });
    await build.write({ dir: out(root), format: "es", sourcemap: true });
  },
  async rolldown(root, plugin) {
    const build = await rolldown({ input: join(root, "src/main.js"), plugins: [plugin.rolldown(options)] });
    await build.write({ dir: out(root), format: "esm", sourcemap: true, minify: true });
  },
  esbuild: (root, plugin) =>
    esbuild({
      absWorkingDir: root,
      entryPoints: ["src/main.js"],
      outdir: "out",
      bundle: true,
      format: "esm",
      sourcemap: true,
      plugins: [plugin.esbuild(options)],
    }),
  webpack: (root, plugin) => runWebpack(webpack({ ...webpackLike(root), plugins: [plugin.webpack(options)] }) as never),
  rspack: (root, plugin) => runWebpack(rspack({ ...webpackLike(root), plugins: [plugin.rspack(options)] }) as never),
};

/** All files of a folder, by their paths in it. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile());

async function built(host: string, main: string): Promise<string> {
  const root = writeApp({ "src/main.js": main, "src/blend.op.ts": "export default 1;" });
  await builds[host]!(root, createKernelPlugin(recordingCompiler(fakeKernel()).compile));
  return out(root);
}

const call = "globalThis.results = blend(new Float32Array(8), new Float32Array(8));";
const importing = (use: string): string => `import blend from "./blend.op.ts?tune=wasm";\n${use}\n`;

describe.each(Object.keys(builds))("%s", (host) => {
  it("names no path of the machine that builds, in code and source maps", async () => {
    const folder = await built(host, importing(call));
    const here = [dirname(dirname(folder)), fileURLToPath(new URL("../..", import.meta.url))];
    // Modules in node_modules of a project are named by their package. Here the package lies in our own folder.
    const packaged = /[\w./-]*\/dist\/(runtime|kernel-worker-text)\.js/g;
    const texts = filesOf(folder).map((name) => readFileSync(join(folder, name), "utf8").replaceAll(packaged, ""));
    expect(texts.length).toBeGreaterThanOrEqual(2);
    expect(texts.filter((text) => here.some((path) => text.includes(path)))).toEqual([]);
    // Such a path may be encoded, as part of a name.
    const encoded = here.map((path) => path.replaceAll(/[^A-Za-z0-9]/g, "_"));
    const plain = texts.map((text) => text.replaceAll(/%2F|[^A-Za-z0-9]/g, "_"));
    const named = plain.filter((text) => encoded.some((path) => text.includes(`${path}_src`)));
    expect(named).toEqual([]);
  });

  it("has the script of workers where a program may need it", async () => {
    const workers = async (main: string): Promise<number> =>
      filesOf(await built(host, importing(main))).filter((name) => /kernel-worker.*\.js$/.test(name)).length;
    expect(await workers(call)).toBe(0);
    expect(await workers(`${call} blend.async(new Float32Array(8), new Float32Array(8));`)).toBe(1);
    expect(await workers(`const { async: later } = blend; ${call} later();`)).toBe(1);
  });
});

/** Bytes of minified code of a page with kernels of these many shapes, without their WASM. */
async function pageBytes(count: number): Promise<number> {
  const imports = Array.from(
    { length: count },
    (_, at) => `import k${at} from "./blend.op.ts?tune=wasm&M=${at + 1}";\n`,
  );
  const use = `globalThis.results = [${Array.from({ length: count }, (_, at) => `k${at}`).join(", ")}];`;
  const root = writeApp({ "src/main.js": imports.join("") + use, "src/blend.op.ts": "export default 1;" });
  const compile = async (request: { readonly parameters: object }) =>
    fakeKernel({ parameters: { M: 2, N: 4, ...request.parameters }, key: "0".repeat(64) });
  await builds.esbuild!(root, createKernelPlugin(compile as never));
  const { code } = transformSync(readFileSync(join(out(root), "main.js"), "utf8"), { minify: true, format: "esm" });
  const withoutWasm = code.replaceAll(/"AGFzbQ[A-Za-z0-9+/=]*"/g, '""');
  expect(code.length - withoutWasm.length).toBeGreaterThan(100 * count);
  return withoutWasm.length;
}

it("a page pays 14 kB for the first kernel, 1.5 kB for each further one, 60 kB for thirty", async () => {
  const [one, two, thirty] = [await pageBytes(1), await pageBytes(2), await pageBytes(30)];
  expect(one).toBeLessThanOrEqual(14_000);
  expect(two - one).toBeLessThanOrEqual(1_500);
  expect(thirty).toBeLessThanOrEqual(60_000);
  console.log(`bytes of a page's code: ${one} with one kernel, ${two} with two, ${thirty} with thirty`);
});
