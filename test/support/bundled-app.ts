// A program with kernels, bundled by esbuild for Node: a project in a temporary folder, with this package among its own.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import kernels from "../../src/plugin/entries/esbuild.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { writeApp } from "./build-app.ts";

const own = fileURLToPath(new URL("../..", import.meta.url));

/** Writes the project; `packages` are folders that are linked beside this package, by their names. */
export function linkedApp(
  files: Readonly<Record<string, string>>,
  packages: Readonly<Record<string, string>> = {},
): string {
  const root = writeApp({
    "package.json": JSON.stringify({ type: "module", devDependencies: { "unplugin-kernel": "*" } }),
    "out/package.json": JSON.stringify({ type: "module" }),
    ...files,
  });
  mkdirSync(join(root, "node_modules"));
  for (const [name, folder] of Object.entries({ "unplugin-kernel": own, ...packages }))
    symlinkSync(folder, join(root, "node_modules", name), "junction");
  return root;
}

/** Bundles its main.js and returns the folder of the output. */
export async function bundleApp(root: string, options: KernelPluginOptions): Promise<string> {
  await build({
    absWorkingDir: root,
    entryPoints: ["main.js"],
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: "out",
    logLevel: "silent",
    plugins: [kernels({ root, ...options })],
  });
  return join(root, "out");
}
