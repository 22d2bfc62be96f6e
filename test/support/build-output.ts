// Small apps built as their owners would: for pages and for servers, with source maps, by each bundler.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRsbuild } from "@rsbuild/core";
import { rspack } from "@rspack/core";
import { build as esbuild } from "esbuild";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { webpack } from "webpack";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { kernelToJson } from "../tools/kernel-json.ts";
import { recordingCompiler, runWebpack, type WebpackCompiler } from "./build-app.ts";
import { createKernelPlugin, type KernelPlugin } from "./kernel-plugin.ts";

type Build = (root: string, plugin: KernelPlugin, options: KernelPluginOptions) => Promise<unknown>;

export const outputOf = (root: string): string => join(root, "out");
const mainOf = (root: string): string => join(root, "src/main.js");

/** All files of a folder, by their paths in it. */
export const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile());

export const webpackLike = (root: string, target: "web" | "node") => ({
  context: root,
  mode: "production" as const,
  target,
  devtool: "source-map" as const,
  entry: { main: mainOf(root) },
  output: { path: outputOf(root), filename: "[name].js" },
  performance: false as const,
});

const esbuildFor =
  (platform: "browser" | "node"): Build =>
  (root, plugin, options) =>
    esbuild({
      absWorkingDir: root,
      entryPoints: ["src/main.js"],
      outdir: "out",
      bundle: true,
      platform,
      format: platform === "node" ? "cjs" : "esm",
      sourcemap: true,
      plugins: [plugin.esbuild(options)],
    });

const webpackFor =
  (target: "web" | "node"): Build =>
  (root, plugin, options) =>
    runWebpack(
      webpack({ ...webpackLike(root, target), plugins: [plugin.webpack(options)] }) as unknown as WebpackCompiler,
    );

const rspackFor =
  (target: "web" | "node"): Build =>
  (root, plugin, options) =>
    runWebpack(
      rspack({ ...webpackLike(root, target), plugins: [plugin.rspack(options)] }) as unknown as WebpackCompiler,
    );

const rsbuildFor =
  (target: "web" | "node"): Build =>
  async (root, plugin, options) => {
    const rsbuild = await createRsbuild({
      cwd: root,
      config: {
        mode: "production",
        logLevel: "silent",
        source: { entry: { main: mainOf(root) } },
        output: { target, distPath: { root: "out" }, sourceMap: { js: "source-map" } },
        plugins: [plugin.rsbuild(options)],
      },
    });
    await runWebpack((await rsbuild.createCompiler()) as unknown as WebpackCompiler);
  };

const viteFor =
  (isServer: boolean): Build =>
  (root, plugin, options) =>
    vite({
      root,
      configFile: false,
      logLevel: "silent",
      plugins: [plugin.vite(options)],
      build: { outDir: "out", sourcemap: true, ssr: isServer, rollupOptions: { input: mainOf(root) } },
    });

const tools = fileURLToPath(new URL("../tools", import.meta.url));
const packages = { farm: "@farmfe/core", bun: "bun" } as const;

/** Why a host cannot be tested here; null if it can. */
export const missing = (host: string): string | null =>
  !(host in packages) || existsSync(join(tools, "node_modules", packages[host as keyof typeof packages]))
    ? null
    : `no ${host} here: npm ci --prefix test/tools`;

const farmFor =
  (targetEnv: "browser" | "node"): Build =>
  async (root, plugin, options) => {
    const { build } = await import(join(tools, "node_modules/@farmfe/core/dist/index.js"));
    const logger = new Proxy({}, { get: () => () => undefined });
    const compilation = {
      input: { main: "./src/main.js" },
      output: { path: "./out", entryFilename: "[entryName].js", targetEnv, format: "esm" },
      presetEnv: false,
      persistentCache: false,
      sourcemap: true,
    };
    await build({ root, configFile: false, logger, compilation, plugins: [plugin.farm(options)] });
  };

/** For pages, minified where the host is by default. */
const pages: Readonly<Record<string, Build>> = {
  vite: viteFor(false),
  async rollup(root, plugin, options) {
    const build = await rollup({ input: mainOf(root), plugins: [plugin.rollup(options)] });
    await build.write({ dir: outputOf(root), format: "es", sourcemap: true });
  },
  async rolldown(root, plugin, options) {
    const build = await rolldown({ input: mainOf(root), plugins: [plugin.rolldown(options)] });
    await build.write({ dir: outputOf(root), format: "esm", sourcemap: true, minify: true });
  },
  esbuild: esbuildFor("browser"),
  webpack: webpackFor("web"),
  rspack: rspackFor("web"),
  rsbuild: rsbuildFor("web"),
  farm: farmFor("browser"),
};

const servers: Readonly<Record<string, Build>> = {
  vite: viteFor(true),
  async rollup(root, plugin, options) {
    const build = await rollup({ input: mainOf(root), plugins: [plugin.rollup(options)] });
    await build.write({ dir: outputOf(root), format: "cjs", sourcemap: true });
  },
  async rolldown(root, plugin, options) {
    const build = await rolldown({ input: mainOf(root), platform: "node", plugins: [plugin.rolldown(options)] });
    await build.write({ dir: outputOf(root), format: "cjs", sourcemap: true });
  },
  esbuild: esbuildFor("node"),
  webpack: webpackFor("node"),
  rspack: rspackFor("node"),
  rsbuild: rsbuildFor("node"),
  farm: farmFor("node"),
};

export type Platform = "page" | "server";
export const pageHosts: readonly string[] = [...Object.keys(pages), "bun"];

/** In a process of Bun's. */
function buildByBun(root: string, kernel: CompiledKernel, platform: Platform, options: KernelPluginOptions): void {
  const kernelFile = join(mkdtempSync(join(tmpdir(), "bun-")), "kernel.json");
  writeFileSync(kernelFile, kernelToJson(kernel));
  const more = { target: platform === "page" ? "browser" : "node", naming: "[dir]/[name].js", sourcemap: "linked" };
  const args = [join(tools, "bun-build.ts"), root, kernelFile, JSON.stringify({ ...more, options })];
  const { errors } = JSON.parse(execFileSync(join(tools, "node_modules/.bin/bun"), args, { encoding: "utf8" }));
  if (errors.length > 0) throw new Error(errors.join("\n"));
}

/** Builds `src/main.js` of an app with this kernel. @returns the folder of the output */
export async function buildOutput(
  host: string,
  root: string,
  kernel: CompiledKernel,
  platform: Platform = "page",
  options: KernelPluginOptions = {},
): Promise<string> {
  const whole: KernelPluginOptions = { logLevel: "silent", mode: "tune", ...options };
  if (host === "bun") buildByBun(root, kernel, platform, whole);
  else {
    const build = (platform === "page" ? pages : servers)[host]!;
    await build(root, createKernelPlugin(recordingCompiler(kernel).compile), { root, ...whole });
  }
  return outputOf(root);
}
