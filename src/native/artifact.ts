// A built kernel on disk or in memory. Stage 8.

import type { CSource, WasmSource } from "../compiler/index.ts";

/** Of a kernel with constant inputs: their names, and what computes once what it takes of them. */
export interface Packing<Prepare> {
  readonly constants: readonly string[];
  /** Null: it takes them as they are. */
  readonly prepare: Prepare | null;
}

/** A Node-API addon file holding one or more kernels, addressed by index. */
export interface NativeArtifact {
  readonly kind: "native";
  /** Absolute path of the `.node` file. */
  readonly path: string;
  readonly kernels: readonly CSource[];
  /** The preparation of the first kernel, by index. */
  readonly packing?: Packing<number>;
}

export interface WasmArtifact {
  readonly kind: "wasm";
  readonly source: WasmSource;
  readonly packing?: Packing<WasmSource>;
}

export type Artifact = NativeArtifact | WasmArtifact;
