// A WASM module of ours → an instance: on a memory of its own, or on one that threads share.

import { readFileSync } from "node:fs";
import type { WasmSource } from "../../compiler/index.ts";
import { packageFile } from "../machine/package-file.ts";
import { type StartWorker, startWorker } from "../process/start-worker.ts";
import { openShared } from "./wasm-threads.ts";

/** A memory whose arrays the caller fills and reads: it is shared where threads see it, which no type of ours tells. */
interface MemoryView {
  readonly buffer: ArrayBuffer;
}

export interface WasmInstance {
  readonly memory: MemoryView;
  run(): void;
  /** Whether all present threads know of the kernel: a call before that has less help. */
  readonly isReady: () => boolean;
}

let workerText: string | null = null;

const start: StartWorker = (role, listener) => {
  workerText ??= readFileSync(packageFile("dist/kernel-worker.js"), "utf8");
  return startWorker({ text: workerText }, role, listener);
};

/**
 * Compiles and instantiates on the calling thread. Throws what the engine throws at a module that it refuses (CompileError,
 * LinkError), and a TypeError for missing exports.
 */
export function openWasm({ bytes, sharing }: Pick<WasmSource, "bytes" | "sharing">): WasmInstance {
  const module = new WebAssembly.Module(bytes);
  if (sharing) return openShared(module, sharing, start) as unknown as WasmInstance;
  const { memory, run } = new WebAssembly.Instance(module, {}).exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof run !== "function")
    throw new TypeError("the module does not export memory and run()");
  return { memory: memory as MemoryView, run: run as () => void, isReady: () => true };
}
