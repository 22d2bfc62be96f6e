// The seam between the bundler side and the tuner: what is asked for, and what comes back to be emitted.

import type { EngineClass, GpuKind, KernelParameter, Numerics, Parameters } from "../../compiler/index.ts";
import type { KernelTwin, WasmTwin, WebgpuCode } from "./twin.ts";

/**
 * Source of the decision; `shared`: an equal kernel of this build was tuned; `same-isa`: the lock has the operator for another
 * target, all of whose instructions the wanted one has.
 */
export type Origin = "lock" | "same-isa" | "store" | "pack" | "remote" | "tuned" | "shared" | "predicted" | "reference";

/** A schedule of a WASM kernel for a class of engines, which answers there in place of the kernel's own. */
export interface EngineVariant {
  readonly engine: EngineClass;
  /** "wasm-arm" */
  readonly target: string;
  readonly twin: WasmTwin;
  readonly trace: string;
  /** Null: it was predicted, or its time was not measured on this machine. */
  readonly gflops: number | null;
  readonly key: string;
  readonly errorBound: number | null;
  readonly origin: Origin;
  readonly measurements: number;
}

/** A schedule of a native kernel for systems with another family of processors, which option `platforms` names. */
export interface ElsewhereSchedule {
  /** "neon-dot" */
  readonly target: string;
  /** Systems that have an addon of it: "linux-arm64". */
  readonly platforms: readonly string[];
  readonly origin: Origin;
  readonly measurements: number;
}

/** A schedule for a class of GPUs, which answers there in place of the kernel's own. */
export interface GpuVariant {
  readonly gpu: GpuKind;
  /** "webgpu-apple" */
  readonly target: string;
  readonly code: WebgpuCode;
  readonly trace: string;
  /** Null: its time was not measured. */
  readonly gflops: number | null;
  readonly errorBound: number;
}

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
  /** The ways to run it, best first; at least one. */
  readonly twins: readonly KernelTwin[];
  /** Schedules for classes of engines; absent: the kernel has one for all. */
  readonly variants?: readonly EngineVariant[];
  /** Schedules for other processors; absent: its addons are all for its own target. */
  readonly elsewhere?: readonly ElsewhereSchedule[];
  /** Schedules for classes of GPUs; absent: the kernel has one for all. */
  readonly gpuVariants?: readonly GpuVariant[];
  /** Why the target's own twin is not among them; null: it is. */
  readonly reason: string | null;
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
