// The seam between what kernels on any GPU have in common, who answers a call and when a twin does, and one way to reach a GPU: WebGPU,
// CUDA.

import type { TypedArray } from "../../../compiler/index.ts";
import type { FunctionFacts } from "../facts.ts";
import type { Arrays } from "../implementation.ts";

/** A kernel on a device for calls on arrays, which are copied there and back. */
export interface ArrayRunner {
  /** Sets constants for all calls to come. It never throws: calls fail where the constants are not there. */
  set(constants: Arrays): void;
  /**
   * Computes outputs. The inputs have been read when this returns its promise.
   *
   * @param constants null: those that were set
   */
  run(inputs: Arrays, constants: Arrays | null): Promise<Arrays>;
  destroy(): void;
}

/** A schedule's code: that of the kernel, then of what prepares constants. */
export interface ScheduleOnGpu extends Pick<FunctionFacts, "sources" | "prepare"> {
  readonly code: readonly { readonly text: string }[];
}

/** The program's GPU. */
export interface FoundGpu {
  readonly kind: "found";
  /** Name in `info.gpu`. */
  readonly adapter: string;
}

/** Why there is none. */
export interface NoGpu {
  readonly kind: "none";
  readonly reason: string;
}

/** The reason of a kernel none of whose schedules runs on the GPU. */
export const noSchedule = "its code is for larger subgroups than the GPU has";

/** A way to reach a GPU, for one kernel. */
export interface GpuApi<Found extends FoundGpu = FoundGpu, Schedule extends ScheduleOnGpu = ScheduleOnGpu> {
  /** Asks for the program's GPU. Never rejects. */
  find(): Promise<Found | NoGpu>;
  /** Returns the schedules that may be the best on a GPU, the same objects each time. */
  schedulesFor(found: Found): readonly Schedule[];
  /** Opens a schedule on a GPU; rejects with what the device says of it. */
  open(schedule: Schedule, found: Found): Promise<ArrayRunner>;
  /** Brings the kernel to a device of the caller's. @param constants null: calls take them */
  on(device: unknown, constants: Arrays | null): Promise<unknown>;
  /** Says why no kernel of the program may use its GPU any more; null: they may. Default: each finds out by itself. */
  lost?(): string | null;
  /** Numbers of output `at`, where its elements are patterns of bits. Default: its elements. */
  numbersOf?(output: TypedArray, at: number): ArrayLike<number>;
}
