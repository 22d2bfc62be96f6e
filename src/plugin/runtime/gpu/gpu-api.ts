// The seam between what a GPU's kernels have in common, who answers a call and when a twin does, and one way to reach a GPU: WebGPU, CUDA.

import type { TypedArray } from "../../../compiler/index.ts";
import type { Arrays, RuntimeTensor } from "../implementation.ts";

/** A kernel on a device for calls on arrays, which are copied there and back. */
export interface ArrayRunner {
  /** Sets constants for all calls to come. */
  set(constants: Arrays): void;
  /**
   * Computes outputs. The inputs have been read when this returns its promise.
   *
   * @param constants null: those that were set
   */
  run(inputs: Arrays, constants: Arrays | null): Promise<Arrays>;
  destroy(): void;
}

/** The program's GPU for a kernel, or why there is none. */
export type GpuHere<Schedule> =
  | {
      readonly kind: "found";
      /** Name in `info.gpu`. */
      readonly adapter: string;
      /** Schedules that may be the best on it, the same objects each time. */
      readonly schedules: readonly Schedule[];
      /** Opens a schedule; rejects with what the device says of it. */
      open(schedule: Schedule): Promise<ArrayRunner>;
    }
  | { readonly kind: "none"; readonly reason: string };

/** A way to reach a GPU, for one kernel. */
export interface GpuApi<Schedule, OnDevice = unknown> {
  /** Asks for the program's GPU. Never rejects. */
  find(): Promise<GpuHere<Schedule>>;
  /** Texts of a schedule's code, which tell it from others. */
  textsOf(schedule: Schedule): readonly string[];
  /** Brings the kernel to a device of the caller's. @param constants null: calls take them */
  on(device: unknown, constants: Arrays | null): Promise<OnDevice>;
  /** Says why no kernel of the program may use its GPU any more; null: they may. Default: each finds out by itself. */
  lost?(): string | null;
  /** Numbers that an output holds, where its elements are patterns of bits. Default: its elements. */
  numbersOf?(output: TypedArray, tensor: RuntimeTensor): ArrayLike<number>;
}
