// The part of a back end that runs in the measuring process: a runnable → a kernel with its arguments in place.

import type { KernelParameter } from "../../compiler/index.ts";
import type { Arena } from "./arena.ts";
import type { TimedKernel } from "./bench-wasm.ts";
import type { KernelArray, Runnable } from "./protocol.ts";

export type { TimedKernel } from "./bench-wasm.ts";

/**
 * A kernel with memory and a clock of its own, such as a GPU's or a simulator's. Neighbours on this CPU do not disturb its times, so
 * nothing waits for a calm core, and a sample is as good as ten.
 */
export interface DeviceKernel {
  readonly clock: "device";
  /** Whether every run takes the same time, to the nanosecond, as where cycles are counted. */
  readonly isExact: boolean;
  /** Arrays of this process, in the order of the parameters, between which and the device `upload` and `download` copy. */
  readonly arrays: readonly KernelArray[];
  upload(): void | Promise<void>;
  /** Runs the kernel `count` times. Returns the time of all runs together on the device's clock, in nanoseconds. */
  time(count: number): number | Promise<number>;
  download(): void | Promise<void>;
}

export type RunnableKernel = TimedKernel | DeviceKernel;

/** Place of a kernel's arguments in this process. */
export interface LoadPlace {
  readonly parameters: readonly KernelParameter[];
  /** Arrays with red zones around them, for kernels that take addresses. */
  readonly arena: Arena;
}

export interface RunnableLoader<Of extends Runnable = Runnable> {
  /** Kind of the runnables that it loads. */
  readonly kind: string;
  /**
   * Opens what all of its kernels need, such as a device, before the first is loaded: no candidate's time passes meanwhile. What it
   * fails with is said by `load`.
   */
  ready?(): Promise<void>;
  /** Loads a kernel. An Error that it throws is the candidate's own fault: the candidate counts as one that did not build. */
  load(candidate: Of, place: LoadPlace): RunnableKernel | Promise<RunnableKernel>;
}

export const isOnDevice = (kernel: RunnableKernel): kernel is DeviceKernel => "clock" in kernel;
