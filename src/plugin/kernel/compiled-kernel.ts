// The seam between the bundler side and the tuner: what is asked for, and what comes back to be emitted.

import type {
  JsSource,
  KernelParameter,
  Numerics,
  Parameters,
  SplitParameters,
  WasmSource,
} from "../../compiler/index.ts";

/** A Node-API addon: `slot(index)` and `callAsync(index, …arrays)`, arrays in the order of `tensors`. */
export interface NativeKernel {
  readonly bytes: Uint8Array;
  /** A file in the cache directory, for dev servers, which emit nothing; null where it could not be written. */
  readonly path: string | null;
  /** Place of the kernel within the addon. */
  readonly index: number;
  /** CPU features, in gcc's names (avx512f, avx512vnni), that are checked before the addon is loaded. */
  readonly features: readonly string[];
  /** `process.platform` and `process.arch` that it was built for: "linux-x64". */
  readonly platform: string;
  /** Parameters of the kernel and of its preparation, which is the next kernel of the addon. Null: the constants need no preparation. */
  readonly split: SplitParameters | null;
}

/**
 * Source of the decision; `shared`: an equal kernel of this build was tuned; `same-isa`: the lock has the operator for another
 * target, all of whose instructions the wanted one has.
 */
export type Origin = "lock" | "same-isa" | "store" | "pack" | "remote" | "tuned" | "shared" | "predicted" | "reference";

export interface CompiledKernel {
  /** Name of the operator, an identifier. */
  readonly op: string;
  /** All parameters of the operator, with the import's values. */
  readonly parameters: Parameters;
  /** Name of the resolved target: never `native`. */
  readonly target: string;
  readonly numerics: Numerics;
  readonly tensors: readonly KernelParameter[];
  /** Inputs that stay the same from call to call. */
  readonly constants: readonly string[];
  /** WASM module; null in mode `off`, and with `fallback: "none"` where there is an addon. */
  readonly wasm: WasmSource | null;
  readonly relaxed: WasmSource | null;
  /** Prepares constants for both of them. Null: they take them as they are. */
  readonly prepare: WasmSource | null;
  readonly native: NativeKernel | null;
  /** The plain loops; used where there is nothing else. */
  readonly reference: JsSource | null;
  /** The schedule as text. */
  readonly trace: string;
  readonly gflops: number | null;
  readonly key: string;
  readonly errorBound: number | null;
  /** Absolute paths of files; a change of one makes the kernel stale. */
  readonly watchFiles: readonly string[];
  readonly origin: Origin;
  /** Whether its schedule was tuned for other cache sizes than this machine's. */
  readonly isForOtherCaches: boolean;
  /** Candidates measured for this request: the summary line adds them up. */
  readonly measurements: number;
  readonly compilerRuns: number;
}
