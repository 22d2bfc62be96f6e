// Kernels that run in the calling thread, in a page too. Code of other back ends runs in processes that are made for it.

import type { KernelSource, WasmSource } from "../../compiler/index.ts";
import { loadWasm, type WasmKernel } from "../load/load-wasm.ts";

/** A kernel with memory of its own, in the calling thread. */
export type LocalKernel = Pick<WasmKernel, "run" | "buffers">;

const table = new Map<string, (source: KernelSource) => LocalKernel>([
  ["wasm", (source) => loadWasm(source as WasmSource)],
]);

/** Opens a kernel in the calling thread. Null: the code of its back end does not run there. */
export const openHere = (source: KernelSource): LocalKernel | null => table.get(source.kind)?.(source) ?? null;
