// Messages to the measuring process and its answers: plain data, sent by structured clone. Messages are handled in
// their order; a `run`, a `sample` and a `check` are each answered by `begun` and `outcome`, the others by nothing.

import type { KernelParameter, TypedArray, WasmSharing } from "../../compiler/index.ts";
import type { Notice } from "../lock/measure-lock.ts";

/** The typed array of a dtype; f16 and bf16 are bit patterns in a Uint16Array, bool is a Uint8Array. */
export type KernelArray = TypedArray;

/**
 * Allowed difference between an output and the expected values:
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
  /** The output in f64, which a result beyond the bound is compared with. Null or missing: such a result is wrong. */
  readonly exact?: ExactValues | null;
}

/** The elements of an output in f64, and how far the operator's own rounding may move each of them. */
export interface ExactValues {
  readonly values: Float64Array;
  /** Largest error of each element; infinite where none is known. */
  readonly errors: Float64Array;
  /** Elements whose error hides their value. Where they are too many, results tell nothing of a kernel. */
  readonly hidden: number;
}

/** Largest share of an output's elements that may be hidden: the others tell a right kernel from a wrong one. */
export const mostHidden = 1 / 4;

/** Bounds of a kernel's outputs, in their order; where a kernel has none, those of the task hold. */
export interface HasBounds {
  readonly bounds?: readonly OutputBound[] | undefined;
}

/** A kernel that is run once, before the candidate, on constant inputs. The candidate takes what it computes. */
export interface PreparationKernel {
  readonly kernel: Runnable;
  /** Parameters of `kernel`: inputs of the task, by name, then its outputs. */
  readonly parameters: readonly KernelParameter[];
  /** Parameters of the candidate: the inputs of the task, what `kernel` computed, then the outputs. */
  readonly used: readonly KernelParameter[];
}

export interface HasPreparation {
  readonly preparation?: PreparationKernel | undefined;
}

/** A built kernel as the measuring process loads it: plain data. Each back end has a type of its own that extends this one. */
export interface Runnable extends HasBounds, HasPreparation {
  /** Kind of the loader. */
  readonly kind: string;
  /** URL of the module with the loader of a foreign back end. */
  readonly module?: string;
}

/** Kernel `index` of an addon, which has its timing loop unless it is only checked; `features` are what the CPU must have. */
export interface NativeRunnable extends Runnable {
  readonly kind: "native";
  readonly path: string;
  readonly index: number;
  readonly features: readonly string[];
}

export interface WasmRunnable extends Runnable {
  readonly kind: "wasm";
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: readonly number[];
  readonly sharing: WasmSharing | null;
}

/**
 * State of the caches when a run begins. `hot`: they hold the data and code that the run before it left there (as far
 * as they fit). `cold`: they hold neither data nor code of the kernel.
 */
export type CacheState = "hot" | "cold";

/** Limits of one candidate's timing. */
export interface TimingPlan {
  readonly cache: CacheState;
  /** Time of the best so far, in nanoseconds: a clearly slower candidate is not timed to the end. */
  readonly incumbentNs: number | null;
  /** Most samples of a contender. */
  readonly samples: number;
  /** Sampling stops once the two least samples differ by less than this share; 0: never early. Not used with cold caches. */
  readonly agreement: number;
  /** Nanoseconds that a sample fills with runs: it is their mean. With cold caches a sample is one run. */
  readonly sampleNs: number;
  /** Nanoseconds after which no new sample begins. */
  readonly budgetNs: number;
}

/** Outcome of one candidate. `samplesNs` are times of one run, in the order taken; at least one. */
export type RunOutcome =
  | { readonly kind: "ok"; readonly samplesNs: readonly number[] }
  /** The engine or the dynamic linker refused it. */
  | { readonly kind: "build-failed"; readonly reason: string }
  | { readonly kind: "crashed"; readonly reason: string }
  | { readonly kind: "timed-out"; readonly deadlineMs: number }
  | { readonly kind: "wrong-result"; readonly reason: string }
  /** The result differs from the reference, and a right kernel's would too: the operator cancels. */
  | { readonly kind: "ill-conditioned"; readonly reason: string };

export type ToWorker =
  | { readonly kind: "task"; readonly task: RunTask }
  /** Loads, checks and times a candidate. */
  | { readonly kind: "run"; readonly id: number; readonly candidate: Runnable; readonly plan: TimingPlan }
  /** Takes one sample of the kernel in a slot. A `candidate` that is not null is loaded, checked and kept there first. */
  | {
      readonly kind: "sample";
      readonly id: number;
      readonly slot: number;
      readonly candidate: Runnable | null;
      readonly sampleNs: number;
      readonly cache: CacheState;
    }
  /** Loads a candidate and runs it once against the right answers. The time of that run is its only sample. */
  | { readonly kind: "check"; readonly id: number; readonly candidate: Runnable }
  /** Drops all kept kernels, so that those loaded later are elsewhere in memory. */
  | { readonly kind: "forget" };

export type FromWorker =
  | { readonly kind: "ready" }
  /** The next candidate waits for others that measure; sent before it begins. */
  | ({ readonly kind: "notice" } & Notice)
  /** The candidate has the machine for itself from now on. */
  | { readonly kind: "begun"; readonly id: number }
  | { readonly kind: "outcome"; readonly id: number; readonly outcome: RunOutcome };
