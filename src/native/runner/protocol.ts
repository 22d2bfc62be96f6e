// What the measuring process is told and what it answers: plain data, sent by structured clone. Messages are handled in
// their order; a `run` and a `sample` are each answered by `begun` and `outcome`, the others by nothing.

import type { KernelParameter, TypedArray, WasmSharing } from "../../compiler/index.ts";

/** The typed array of a dtype; f16 and bf16 are bit patterns in a Uint16Array, bool is a Uint8Array. */
export type KernelArray = TypedArray;

/**
 * How near an output has to come to the expected values:
 *   exact   equal as numbers; a NaN for a NaN
 *   within  |actual − expected| ≤ absolute + relative · max(|expected|, largest |expected| of the whole output)
 */
export type OutputBound =
  | { readonly kind: "exact" }
  | { readonly kind: "within"; readonly relative: number; readonly absolute: number };

/** Inputs and right answers, sent once for all candidates of a task. */
export interface RunTask {
  /** Inputs, then outputs, in calling order. */
  readonly parameters: readonly KernelParameter[];
  readonly inputs: readonly KernelArray[];
  readonly expected: readonly ExpectedValues[];
}

export interface ExpectedValues {
  readonly values: KernelArray;
  readonly bound: OutputBound;
  /** Where a result beyond the bound is held against; null or missing: nowhere, it is wrong. */
  readonly exact?: ExactValues | null;
}

/** The elements of an output in f64, and how far each may be from that by the operator's own rounding. */
export interface ExactValues {
  readonly values: Float64Array;
  /** Infinite where nothing can be said. */
  readonly errors: Float64Array;
  /** Elements whose error hides their value. Where they are too many, results tell nothing of a kernel. */
  readonly hidden: number;
}

/** Of an output's elements so many may be hidden, as a share: the others tell a right kernel from a wrong one. */
export const mostHidden = 1 / 4;

/** How near the outputs of a kernel have to come, in order; where it does not say, those of the task hold. */
export interface HasBounds {
  readonly bounds?: readonly OutputBound[] | undefined;
}

/** What a kernel takes that is computed of constant inputs, before it is run. */
export interface Preparation {
  readonly kernel: Runnable;
  /** Of `kernel`: inputs of the task, by name, then what it computes. */
  readonly parameters: readonly KernelParameter[];
  /** Of the kernel that takes it: the inputs of the task, what was computed, then the outputs. */
  readonly used: readonly KernelParameter[];
}

export interface HasPreparation {
  readonly preparation?: Preparation | undefined;
}

/** Kernel `index` of an addon that was built with its timing loop; `features` are what the CPU must have. */
export interface NativeRunnable extends HasBounds, HasPreparation {
  readonly kind: "native";
  readonly path: string;
  readonly index: number;
  readonly features: readonly string[];
}

export interface WasmRunnable extends HasBounds, HasPreparation {
  readonly kind: "wasm";
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: readonly number[];
  readonly sharing: WasmSharing | null;
}

/** A built kernel as the worker loads it. */
export type Runnable = NativeRunnable | WasmRunnable;

/**
 * What a run finds in the caches: `hot`, what the run before it left there (as far as it fits); `cold`, nothing of its own,
 * neither data nor code.
 */
export type CacheState = "hot" | "cold";

/** How much to time. */
export interface TimingPlan {
  readonly cache: CacheState;
  /** Time of the best so far: who is clearly slower is not timed to the end. */
  readonly incumbentNs: number | null;
  /** Samples wanted of a contender. */
  readonly samples: number;
  /** Two least samples that differ by less than this share are enough; 0: as many as are wanted. Not with cold caches. */
  readonly agreement: number;
  /** A sample is the mean over as many runs as fill this time; with cold caches it is one run. */
  readonly sampleNs: number;
  /** No new sample begins after this time. */
  readonly budgetNs: number;
}

/** What came of one candidate. `samplesNs` are times of one run, in the order taken; at least one. */
export type RunOutcome =
  | { readonly kind: "ok"; readonly samplesNs: readonly number[] }
  /** The engine or the dynamic linker refused it. */
  | { readonly kind: "build-failed"; readonly reason: string }
  | { readonly kind: "crashed"; readonly reason: string }
  | { readonly kind: "timed-out"; readonly deadlineMs: number }
  | { readonly kind: "wrong-result"; readonly reason: string }
  /** It differs from the reference, and so would a right kernel: the operator cancels. */
  | { readonly kind: "ill-conditioned"; readonly reason: string };

export type ToWorker =
  | { readonly kind: "task"; readonly task: RunTask }
  /** Loads, checks and times. */
  | { readonly kind: "run"; readonly id: number; readonly candidate: Runnable; readonly plan: TimingPlan }
  /** One sample of the kernel in a slot; `candidate` is loaded, checked and kept there before, if that is not null. */
  | {
      readonly kind: "sample";
      readonly id: number;
      readonly slot: number;
      readonly candidate: Runnable | null;
      readonly sampleNs: number;
      readonly cache: CacheState;
    }
  /** Drops all kept kernels; those that follow are elsewhere in memory. */
  | { readonly kind: "forget" };

export type FromWorker =
  | { readonly kind: "ready" }
  /** The candidate has the machine for itself from now on. */
  | { readonly kind: "begun"; readonly id: number }
  | { readonly kind: "outcome"; readonly id: number; readonly outcome: RunOutcome };
