// The form of a kernel's WGSL in what bundlers write: as short as it can be in what is shipped, as it was generated in output that somebody is
// to read, and in both the same code.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { describe, expect } from "vitest";
import { webpack } from "webpack";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { runWebpack, type WebpackCompiler, webpackOptions, writeApp } from "../support/build-app.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(5);

const app = (): string =>
  writeApp({
    "src/main.js": `import gemm from "./gemm.op.ts?tune=webgpu";\nglobalThis.gemm = gemm;\n`,
    "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops"; export default gemm({ M: 32, N: 40, K: 48 });`,
  });

type Form = "short" | "readable";

function formIn(folder: string): Form | null {
  const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.m?js$/.test(name));
  const text = scripts.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const isShort = text.includes("@compute@workgroup_size");
  const isReadable = text.includes("let threadIdx_x_ = i32(uk_local_invocation_id.x);");
  if (isShort === isReadable) return null;
  return isShort ? "short" : "readable";
}

const quiet = (root: string, options: KernelPluginOptions = {}): KernelPluginOptions => ({
  ...{ root, mode: "predict", logLevel: "silent" },
  ...options,
});

async function byEsbuild(minify: boolean, options: KernelPluginOptions = {}): Promise<Form | null> {
  const root = app();
  const plugins = [kernelPlugin.esbuild(quiet(root, options))];
  const output = { outdir: join(root, "out"), format: "esm" } as const;
  await esbuild({ entryPoints: [join(root, "src/main.js")], bundle: true, minify, ...output, plugins });
  return formIn(join(root, "out"));
}

async function byVite(minify: boolean | undefined): Promise<Form | null> {
  const root = app();
  const rollupOptions = { input: join(root, "src/main.js") };
  await vite({
    ...{ root, configFile: false, logLevel: "silent" },
    plugins: [kernelPlugin.vite(quiet(root))],
    build: { outDir: "out", rollupOptions, ...(minify !== undefined && { minify }) },
  });
  return formIn(join(root, "out"));
}

async function byWebpack(minimize: boolean): Promise<Form | null> {
  const root = app();
  const plugins = [kernelPlugin.webpack(quiet(root))];
  await runWebpack(webpack({ ...webpackOptions(root), optimization: { minimize }, plugins }) as WebpackCompiler);
  return formIn(join(root, "out"));
}

async function byRollup(): Promise<Form | null> {
  const root = app();
  const bundle = await rollup({ input: join(root, "src/main.js"), plugins: [kernelPlugin.rollup(quiet(root))] });
  await bundle.write({ dir: join(root, "out") });
  await bundle.close();
  return formIn(join(root, "out"));
}

describe("what is shipped", () => {
  turn.each<[string, () => Promise<Form | null>, Form]>([
    ["by esbuild, minified", () => byEsbuild(true), "short"],
    ["by esbuild as it is", () => byEsbuild(false), "readable"],
    ["by esbuild with option schedules", () => byEsbuild(true, { schedules: true }), "readable"],
    ["by Vite", () => byVite(undefined), "short"],
    ["by Vite without minifying", () => byVite(false), "readable"],
    ["by webpack, minimized", () => byWebpack(true), "short"],
    ["by webpack as it is", () => byWebpack(false), "readable"],
    ["by Rollup, which does not tell", byRollup, "short"],
  ])("%s", async (_, form, expected) => {
    expect(await form()).toBe(expected);
  });
});
