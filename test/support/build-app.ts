// Builds a small app with each bundler, the plugin in it around a given way of compiling, and runs the output in Node. A bundler, or
// the plugin, is loaded when it builds: most tests want a folder with files alone.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { RspackOptions } from "@rspack/core";
import type {
  CompiledKernel,
  CompileKernel,
  CompileServices,
  KernelRequest,
} from "../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { kernelToJson } from "../tools/kernel-json.ts";
import type { KernelPlugin } from "./kernel-plugin.ts";

export const hosts = ["rollup", "rolldown", "vite", "esbuild", "webpack", "rspack", "rsbuild"] as const;
/** Installed by a command of their own. */
export const largeHosts = ["farm", "bun"] as const;
export type HostName = (typeof hosts)[number] | (typeof largeHosts)[number];

const largeModules = fileURLToPath(new URL("../tools/node_modules", import.meta.url));

const largePackages: { readonly [host in HostName]?: string } = { farm: "@farmfe/core", bun: "bun" };

/** Why a host cannot be tested here; null if it can. */
export function missingHost(host: HostName): string | null {
  const folder = largePackages[host];
  return folder === undefined || existsSync(join(largeModules, folder))
    ? null
    : `no ${host} here: npm ci --prefix test/tools`;
}

/** Calls the kernel `blend` of test/support/fake-kernel.ts and prints which twin answered, and what. */
export const blendCall = `
  const A = Float32Array.from({ length: 8 }, (_, i) => i);
  const B = new Float32Array(8).fill(1);
  console.log(JSON.stringify([blend.info.twin, ...blend(A, B)]));
`;

/** A folder with these files; names may have folders. */
export function writeApp(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "app-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

/** Compiles to the kernel given and writes down what it was asked for. */
export function recordingCompiler(kernel: CompiledKernel): { compile: CompileKernel; requests: KernelRequest[] } {
  const requests: KernelRequest[] = [];
  const compile: CompileKernel = async (request) => {
    requests.push(request);
    return { ...kernel, watchFiles: [request.opFile] };
  };
  return { compile: Object.assign(compile, { kernel }), requests };
}

const quiet: KernelPluginOptions = { logLevel: "silent", mode: "tune" };

/** Configuration for Node, as an ES module, of webpack and of Rspack. */
export const webpackOptions = (root: string) => ({
  context: root,
  mode: "production" as const,
  target: "node" as const,
  entry: { main: join(root, "src/main.js") },
  output: { path: join(root, "out"), filename: "[name].mjs", module: true, library: { type: "module" } },
  experiments: { outputModule: true },
  optimization: { minimize: false },
  performance: false as const,
});

interface WebpackStats {
  hasErrors(): boolean;
  toJson(options: object): { errors?: { message: string }[] };
}
export interface WebpackCompiler {
  watch(options: object, handler: () => void): { close(closed: () => void): void };
  run(callback: (error: Error | null, stats?: WebpackStats) => void): void;
  close(callback: (error?: Error | null) => void): void;
}

/** Rspack draws a tree around messages, in colours where it takes the output for a terminal or for CI. */
const undecorated = (message: string): string =>
  stripVTControlCharacters(message).replace(/^\s*(?:╰─▶\s*)?[×│] /gm, "");

/** Rejects with the errors of the modules. */
export function runWebpack(compiler: WebpackCompiler): Promise<void> {
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      const errors = stats?.hasErrors() ? stats.toJson({ all: false, errors: true }).errors : [];
      const text = error?.message ?? errors?.map(({ message }) => undecorated(message)).join("\n") ?? "";
      compiler.close(() => (text === "" ? resolve() : reject(new Error(text))));
    });
  });
}

/** Farm quotes messages, and ends the process after an error. */
const farmLogger = new Proxy(
  {},
  {
    get: (_, method) => (text: string) => {
      if (method === "error") throw new Error(String(text).replaceAll("\\n", "\n").replaceAll('\\"', '"'));
    },
  },
);

/** Returns the compiler of Rsbuild, which is Rspack's. */
export async function rsbuildCompiler(
  root: string,
  plugin: KernelPlugin,
  options: KernelPluginOptions,
): Promise<WebpackCompiler> {
  const { createRsbuild } = await import("@rsbuild/core");
  const rsbuild = await createRsbuild({
    cwd: root,
    config: {
      mode: "production",
      logLevel: "silent",
      source: { entry: { main: join(root, "src/main.js") } },
      output: {
        target: "node",
        module: true,
        minify: false,
        distPath: { root: "out" },
        filename: { js: "[name].mjs" },
      },
      plugins: [plugin.rsbuild(options)],
    },
  });
  return (await rsbuild.createCompiler()) as unknown as WebpackCompiler;
}

type Build = (root: string, plugin: KernelPlugin, options: KernelPluginOptions) => Promise<unknown>;

/** Each bundles `src/main.js` for Node into `out/`, as an ES module. */
const builds: Readonly<Record<Exclude<HostName, "bun">, Build>> = {
  async rollup(root, plugin, options) {
    const { rollup } = await import("rollup");
    const bundle = await rollup({ input: join(root, "src/main.js"), plugins: [plugin.rollup(options)] });
    await bundle.write({ dir: join(root, "out"), entryFileNames: "[name].mjs" });
    await bundle.close();
  },
  async rolldown(root, plugin, options) {
    const input = join(root, "src/main.js");
    const { rolldown } = await import("rolldown");
    const bundle = await rolldown({ input, platform: "node", logLevel: "silent", plugins: [plugin.rolldown(options)] });
    await bundle.write({ dir: join(root, "out"), entryFileNames: "[name].mjs" });
    await bundle.close();
  },
  async vite(root, plugin, options) {
    const { build } = await import("vite");
    await build({
      root,
      configFile: false,
      logLevel: "silent",
      plugins: [plugin.vite(options)],
      build: {
        ssr: join(root, "src/main.js"),
        outDir: "out",
        rollupOptions: { output: { entryFileNames: "[name].mjs" } },
      },
    });
  },
  async esbuild(root, plugin, options) {
    const { build } = await import("esbuild");
    await build({
      entryPoints: [join(root, "src/main.js")],
      bundle: true,
      platform: "node",
      format: "esm",
      outdir: join(root, "out"),
      outExtension: { ".js": ".mjs" },
      logLevel: "silent",
      plugins: [plugin.esbuild(options)],
    });
  },
  async webpack(root, plugin, options) {
    const { webpack } = await import("webpack");
    await runWebpack(webpack({ ...webpackOptions(root), plugins: [plugin.webpack(options)] }) as WebpackCompiler);
  },
  async rspack(root, plugin, options) {
    const { rspack } = await import("@rspack/core");
    const settings = { ...(webpackOptions(root) as RspackOptions), plugins: [plugin.rspack(options)] };
    await runWebpack(rspack(settings) as WebpackCompiler);
  },
  async rsbuild(root, plugin, options) {
    await runWebpack(await rsbuildCompiler(root, plugin, options));
  },
  async farm(root, plugin, options) {
    const { build } = await import(join(largeModules, "@farmfe/core/dist/index.js"));
    await build({
      root,
      configFile: false,
      logger: farmLogger,
      compilation: {
        input: { main: "./src/main.js" },
        output: { path: "./out", entryFilename: "[entryName].mjs", targetEnv: "node", format: "esm" },
        minify: false,
        presetEnv: false,
        persistentCache: false,
        sourcemap: false,
      },
      plugins: [plugin.farm(options)],
    });
  },
};

/** Bundles `src/main.js` of the app for Node into `out/`, as an ES module. */
export async function buildApp(
  host: HostName,
  root: string,
  compile: CompileKernel,
  options: KernelPluginOptions = {},
): Promise<void> {
  if (host === "bun") return buildWithBun(root, compile);
  const { createKernelPlugin } = await import("./kernel-plugin.ts");
  await builds[host](root, createKernelPlugin(compile), { root, ...quiet, ...options });
}

/** Builds in a process of Bun, with the kernel of a `recordingCompiler`, which is told afterwards what was asked for. */
async function buildWithBun(root: string, compile: CompileKernel & { kernel?: CompiledKernel }): Promise<void> {
  const kernelFile = join(mkdtempSync(join(tmpdir(), "bun-")), "kernel.json");
  writeFileSync(kernelFile, kernelToJson(compile.kernel!));
  const script = fileURLToPath(new URL("../tools/bun-build.ts", import.meta.url));
  const output = execFileSync(join(largeModules, ".bin/bun"), [script, root, kernelFile], { encoding: "utf8" });
  const { requests, errors } = JSON.parse(output) as { requests: KernelRequest[]; errors: string[] };
  for (const request of requests) await compile(request, null as unknown as CompileServices);
  if (errors.length > 0) throw new Error(errors.join("\n"));
}

/** Until a count has stayed the same for a while: no watcher is writing any more. */
export async function settled(count: () => number): Promise<void> {
  for (let before = -1; before !== count(); ) {
    before = count();
    await new Promise((done) => setTimeout(done, 700));
  }
}

/** Every file of the output, relative, sorted. */
export function outputFiles(root: string, folder = "out"): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return all.filter((name) => statSync(join(root, folder, name)).isFile()).sort();
}

/** Moves the output elsewhere and runs it; what it printed as JSON. */
export function runMoved(root: string, entry = "main.mjs", flags: readonly string[] = []): unknown {
  const elsewhere = join(mkdtempSync(join(tmpdir(), "moved-")), "out");
  renameSync(join(root, "out"), elsewhere);
  const output = execFileSync(process.execPath, [...flags, join(elsewhere, entry)], { encoding: "utf8" });
  return JSON.parse(output);
}
