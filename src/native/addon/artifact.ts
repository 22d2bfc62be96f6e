// A built kernel on disk or in memory. Stage 8.

import type { CSource, Numerics, Parameters, WasmSource } from "../../compiler/index.ts";

/**
 * Constant inputs of a kernel, by name, and the kernel that runs once to bring them into the form that the main kernel
 * takes.
 */
export interface Packing<Prepare> {
  readonly constants: readonly string[];
  /** Preparing kernel; null: the main kernel takes the constant inputs as they are. */
  readonly prepare: Prepare | null;
}

/** Describes a loaded kernel, where its artifact was built from an operator. */
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
