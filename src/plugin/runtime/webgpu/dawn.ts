// WebGPU in Node: the package `webgpu`, which is Dawn, where the program has it. Browsers, and Deno, have their own.

import { builtin } from "../../../native/process/start-worker.ts";

/** Instance of Dawn, which has to live as long as its devices. */
let instance: GPU | null = null;

/** File of the package, looked for from the program's main file and from where it was started. Bundlers see no import of it. */
function fileOfDawn(): string {
  const { argv, cwd, env } = globalThis.process;
  const { createRequire } = builtin("node:module")!;
  const name = env.UNPLUGIN_KERNEL_WEBGPU ?? "webgpu";
  const { pathToFileURL } = builtin("node:url")!;
  try {
    return pathToFileURL(createRequire(argv[1] ?? `${cwd()}/`).resolve(name)).href;
  } catch {
    return pathToFileURL(createRequire(`${cwd()}/`).resolve(name)).href;
  }
}

/** Returns the realm's WebGPU; null: it has none. */
export async function gpuHere(): Promise<GPU | null> {
  const own = (globalThis.navigator as Navigator | undefined)?.gpu;
  if (own) return own;
  if (!builtin("node:module")) return null;
  try {
    const { create } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ fileOfDawn())) as {
      create(options: string[]): GPU;
    };
    instance ??= create([]);
    return instance;
  } catch {
    return null;
  }
}
