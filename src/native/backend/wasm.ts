// WASM modules are run as they are.

import type { WasmSource } from "../../compiler/index.ts";
import type { WasmRunnable } from "../runner/protocol.ts";
import type { Executor } from "./executor.ts";

export const wasmExecutor: Executor<WasmSource> = {
  name: "wasm",
  build: (sources) => sources.map((source) => ({ kind: "built", runnable: wasmRunnable(source) })),
};

/** Makes the runner's candidate of a module. */
export const wasmRunnable = ({ bytes, offsets, sharing }: WasmSource): WasmRunnable => ({
  kind: "wasm",
  bytes,
  offsets,
  sharing,
});
