// WASM modules in the measuring process: each has its arguments in its own memory.

import { loadWasmKernel } from "./bench-wasm.ts";
import type { Loader } from "./loader.ts";
import type { WasmRunnable } from "./protocol.ts";

export const wasmLoader: Loader<WasmRunnable> = {
  kind: "wasm",
  load: (candidate, { parameters }) => loadWasmKernel(candidate, parameters),
};
