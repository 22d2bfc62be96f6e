// A built kernel on disk or in memory. Stage 8.

import type { CSource, Numerics, Parameters, WasmSource } from "../compiler/index.ts";

/** Of a kernel with constant inputs: their names, and what computes once what it takes of them. */
export interface Packing<Prepare> {
  readonly constants: readonly string[];
  /** Null: it takes them as they are. */
  readonly prepare: Prepare | null;
}

/** What a loaded kernel says of itself, where the artifact was built from an operator. */
export interface ArtifactInfo {
  readonly op: string;
  readonly parameters: Parameters;
  readonly target: string;
  readonly numerics: Numerics;
  /** The schedule as text. */
  readonly schedule: string | null;
}

/** A Node-API addon file holding one or more kernels, addressed by index. */
export interface NativeArtifact {
  readonly kind: "native";
  /** Absolute path of the `.node` file. */
  readonly path: string;
  readonly kernels: readonly CSource[];
  /** The preparation of the first kernel, by index. */
  readonly packing?: Packing<number>;
  readonly info?: ArtifactInfo;
}

export interface WasmArtifact {
  readonly kind: "wasm";
  readonly source: WasmSource;
  readonly packing?: Packing<WasmSource>;
  readonly info?: ArtifactInfo;
}

export type Artifact = NativeArtifact | WasmArtifact;
