// A built kernel on disk or in memory. Stage 8.

import type { CSource, WasmSource } from "../compiler/index.ts";

/** A Node-API addon file holding one or more kernels, addressed by index. */
export interface NativeArtifact {
  readonly kind: "native";
  /** Absolute path of the `.node` file. */
  readonly path: string;
  readonly kernels: readonly CSource[];
}

export interface WasmArtifact {
  readonly kind: "wasm";
  readonly source: WasmSource;
}

export type Artifact = NativeArtifact | WasmArtifact;
