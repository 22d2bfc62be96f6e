// Builds what emitted modules import: dist/runtime.js, which all kernels of a program share, and the script of its workers, as a file for
// browsers and as a module that holds its text, for Node.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "src/plugin/runtime");

/** Oldest engines that have SIMD in WASM: Safari's came last. */
const shared = {
  bundle: true,
  target: ["es2022", "safari16.4"],
  // The runtime uses a table or two of the compiler. Unused files are left out of the bundle, but they may name modules
  // of Node.
  external: ["node:*"],
  logOverride: { "empty-import-meta": "silent" },
  write: false,
  logLevel: "warning",
};

async function textOf(entry, options) {
  const { outputFiles } = await build({ ...shared, entryPoints: [join(source, entry)], ...options });
  return outputFiles[0].text;
}

/** What a part of the runtime has of the rest comes from the rest itself: there is one of it in a program. */
const besideRuntime = {
  name: "beside-runtime",
  setup({ onResolve }) {
    onResolve({ filter: /\/gpu\/gpu-kernel\.ts$/ }, () => ({ path: "./runtime.js", external: true }));
  },
};

/** @param dist folder that gets the files */
export async function buildRuntime(dist) {
  const [runtime, cuda, worker] = await Promise.all([
    textOf("entry/index.ts", { format: "esm" }),
    textOf("entry/cuda.ts", { format: "esm", plugins: [besideRuntime] }),
    textOf("worker.ts", { format: "iife", minify: true }),
  ]);
  await mkdir(dist, { recursive: true });
  await Promise.all([
    writeFile(join(dist, "runtime.js"), runtime),
    writeFile(join(dist, "runtime-cuda.js"), cuda),
    writeFile(join(dist, "kernel-worker.js"), worker),
    writeFile(join(dist, "kernel-worker-text.js"), `export default ${JSON.stringify(worker)};\n`),
  ]);
}
