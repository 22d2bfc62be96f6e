// WASM modules in the measuring process: each has its arguments in its own memory.

import { loadWasmKernel } from "../runner/bench-wasm.ts";
import type { WasmRunnable } from "../runner/protocol.ts";
import type { Loader } from "./loader.ts";

export const wasmLoader: Loader<WasmRunnable> = {
  kind: "wasm",
  load: (candidate, { parameters }) => loadWasmKernel(candidate, parameters),
};
