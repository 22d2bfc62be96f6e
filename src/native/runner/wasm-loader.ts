// WASM modules in the measuring process: each has its arguments in its own memory.

import { loadWasmKernel } from "./bench-wasm.ts";
import type { RunnableLoader } from "./loader.ts";
import type { WasmRunnable } from "./protocol.ts";

export const wasmLoader: RunnableLoader<WasmRunnable> = {
  kind: "wasm",
  load: (candidate, { parameters }) => loadWasmKernel(candidate, parameters),
};
