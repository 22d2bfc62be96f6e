// Builds a small app with each bundler, the plugin in it around a given way of compiling, and runs the output in Node.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { build as vite } from "vite";
import type { CompiledKernel, CompileKernel, KernelRequest } from "../../src/plugin/compiled-kernel.ts";
import { createKernelPlugin } from "../../src/plugin/index.ts";
import type { KernelPluginOptions } from "../../src/plugin/types.ts";

export const hosts = ["rollup", "vite", "esbuild"] as const;
export type HostName = (typeof hosts)[number];

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
  return { compile, requests };
}

const quiet: KernelPluginOptions = { logLevel: "silent", mode: "tune" };

/** Bundles `src/main.js` of the app for Node into `out/`, as an ES module. */
export async function buildApp(
  host: HostName,
  root: string,
  compile: CompileKernel,
  options: KernelPluginOptions = {},
): Promise<void> {
  const plugin = createKernelPlugin(compile);
  const settings = { root, ...quiet, ...options };
  const entry = join(root, "src/main.js");
  switch (host) {
    case "rollup": {
      const bundle = await rollup({ input: entry, plugins: [plugin.rollup(settings)] });
      await bundle.write({ dir: join(root, "out"), entryFileNames: "[name].mjs" });
      return bundle.close();
    }
    case "vite":
      await vite({
        root,
        configFile: false,
        logLevel: "silent",
        plugins: [plugin.vite(settings)],
        build: { ssr: entry, outDir: "out", rollupOptions: { output: { entryFileNames: "[name].mjs" } } },
      });
      return;
    case "esbuild":
      await esbuild({
        entryPoints: [entry],
        bundle: true,
        platform: "node",
        format: "esm",
        outdir: join(root, "out"),
        outExtension: { ".js": ".mjs" },
        logLevel: "silent",
        plugins: [plugin.esbuild(settings)],
      });
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
