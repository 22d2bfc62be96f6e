// Data about a kernel in its emitted module. The plugin writes it (binding/), the runtime reads it.

import type { DType, KernelInfo, TypedArray, WasmSharing } from "../../compiler/index.ts";
import type { WorkerSource } from "../../native/process/start-worker.ts";

/** A kernel, as its module gives it to `createKernel`. */
export interface KernelFacts extends Omit<KernelInfo, "twin" | "twinReason"> {
  /** Names of the inputs that stay the same from call to call. */
  readonly constants: readonly string[];
  /** Why the best implementation is not in the module; null if it is. */
  readonly reason: string | null;
  /** One for each system that the build was for. */
  readonly native?: readonly NativeFacts[];
  readonly foreign?: ForeignFacts;
  readonly wasm?: WasmFacts;
  /** The plain loops, over all tensors in the order of the operator. */
  readonly loops?: (...arrays: readonly unknown[]) => void;
}

/** Facts that a schedule for a class of engines has of its own. */
export type EngineFacts = Pick<KernelFacts, "target" | "gflops" | "errorBound" | "cacheKey" | "schedule" | "wasm">;

/**
 * Source of a parameter of the compiled function: its place among the constants, among the other tensors, or among the
 * results of the preparation. The compiled function may take tensors in another form than the operator, and prepares
 * constants for that.
 */
export type Source = readonly [kind: "constant" | "other" | "result", at: number];

/** A kernel as functions of arrays. */
export interface FunctionFacts {
  /** Number of the kernel among the functions; the next one prepares constants. */
  readonly index: number;
  /** Absent: the function takes the tensors in the order of the operator. */
  readonly sources?: readonly Source[];
  readonly prepare?: {
    /** Places among the constants of what the preparation takes. */
    readonly taken: readonly number[];
    readonly results: readonly { readonly dtype: DType; readonly length: number }[];
  };
}

/** A Node-API addon. */
export interface NativeFacts extends FunctionFacts {
  /** Address of the file. */
  url(): string;
  /** Features that the CPU must have, in the compiler's spelling: avx512f, avx512vnni. */
  readonly features: readonly string[];
  /** `process.platform` and `process.arch` that the addon was built for: "linux-x64". */
  readonly platform: string;
}

/** Runs a kernel on arrays, in the order of its parameters. */
export type OpenedKernel = (arrays: readonly TypedArray[]) => void;

/** Code of a back end that is not ours. */
export interface ForeignFacts extends Pick<FunctionFacts, "sources" | "prepare"> {
  /** Name of the back end. */
  readonly backend: string;
  /** Export of the back end's module. */
  open(code: string): OpenedKernel;
  /** Code of the kernel, then of what prepares constants. */
  readonly code: readonly string[];
}

/** Array of a module: its dtype, offset in bytes and length in elements. */
export type ArrayPlace = readonly [dtype: DType, offset: number, length: number];

/** Bytes of a WASM module: a text of module-text.ts, or a file. */
export interface ModuleBytes {
  readonly text?: string;
  url?(): string;
  /** Place of the byte that asks for shared memory; absent: there are no loops to share. */
  readonly flagAt?: number;
}

export interface WasmFacts {
  /** Best first. The last one must work in every engine with SIMD. */
  readonly modules: readonly (ModuleBytes & { readonly kind: "wasm-relaxed" | "wasm" })[];
  readonly layout: readonly ArrayPlace[];
  readonly sharing?: WasmSharing;
  /** Absent: the function takes the tensors in the order of the operator. */
  readonly sources?: readonly Source[];
  readonly prepare?: ModuleBytes & {
    readonly layout: readonly ArrayPlace[];
    readonly sharing?: WasmSharing;
    readonly taken: readonly number[];
  };
  readonly worker: WorkerSource;
}
