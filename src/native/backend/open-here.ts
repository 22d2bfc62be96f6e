// Kernels that run in the calling thread, in a page too. Code of other back ends runs in processes that are made for it.

import type { KernelSource, WasmSource } from "../../compiler/index.ts";
import { type KernelArray, loadWasm } from "../load/load-wasm.ts";

/** A kernel with memory of its own, in the calling thread. */
export interface LocalKernel {
  /** Runs the kernel on what its memory holds now. */
  run(): void;
  /** Returns the parameters in its memory, in order: fill the inputs, `run()`, read the outputs. */
  buffers(): readonly KernelArray[];
}

const table = new Map<string, (source: KernelSource) => LocalKernel>([
  ["wasm", (source) => loadWasm(source as WasmSource)],
]);

/** Opens a kernel in the calling thread. Null: the code of its back end does not run there. */
export const openHere = (source: KernelSource): LocalKernel | null => table.get(source.kind)?.(source) ?? null;
