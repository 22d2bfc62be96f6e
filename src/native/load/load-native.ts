// Loads a `.node` file of kernels, after checking that this CPU can run them: while we measure. Programs load theirs by
// plugin/runtime/native.ts.

import { constants } from "node:os";
import type { TypedArray } from "../../compiler/index.ts";
import { machineFeatures } from "../machine/machine-features.ts";

/** The functions of an addon. Arrays are the kernel's parameters in order; wrong ones give a TypeError or RangeError. */
export interface NativeKernels {
  /** Runs a kernel: reads the inputs, writes the outputs. */
  call(index: number, ...arrays: readonly TypedArray[]): void;
  /** Runs a kernel on the thread pool. The arrays must be left alone until the promise resolves. */
  callAsync(index: number, ...arrays: readonly TypedArray[]): Promise<void>;
  /** Makes a slot, for repeated calls on the same arrays. */
  slot(index: number): NativeSlot;
  /**
   * Times a kernel in samples of `inner` runs (default: 1), in nanoseconds a run. Takes at most `repeats` samples, and begins
   * none after `maxNs`. Only addons that were built with `bench` have it.
   */
  bench?(index: number, arrays: readonly TypedArray[], repeats: number, maxNs: number, inner?: number): Float64Array;
}

export interface NativeSlot {
  call(...arrays: readonly TypedArray[]): void;
  /**
   * Runs the kernel once more on the arrays of the last call, without checking them: the caller must not have detached one since.
   *
   * @throws Error if no call came before, or the last one was refused
   */
  again(): void;
}

export type LoadResult =
  | { readonly kind: "loaded"; readonly kernels: NativeKernels }
  /** Reason in the words of the fallback's warning: "this CPU lacks avx512f", "addons are disabled (--no-addons)". */
  | { readonly kind: "unavailable"; readonly reason: string };

export interface NativeLoadOptions {
  /** Features that the kernels need. */
  readonly features: readonly string[];
  /** Features of the CPU; default: those of this machine. */
  readonly cpu?: readonly string[];
}

/**
 * @param path absolute path of the `.node` file
 * @example loadNative(artifact.path, { features: artifact.kernels[0].features })
 */
export function loadNative(path: string, { features, cpu = machineFeatures() }: NativeLoadOptions): LoadResult {
  const missing = features.filter((feature) => !cpu.includes(feature));
  if (missing.length > 0) return { kind: "unavailable", reason: `this CPU lacks ${missing.join(", ")}` };
  const module: { exports: Partial<NativeKernels> } = { exports: {} };
  try {
    process.dlopen(module, path, constants.dlopen.RTLD_NOW);
  } catch (error) {
    return { kind: "unavailable", reason: reasonOf(error) };
  }
  const { call, callAsync, slot } = module.exports;
  if (!call || !callAsync || !slot) return { kind: "unavailable", reason: `${path} is not an addon of kernels` };
  return { kind: "loaded", kernels: { ...module.exports, call, callAsync, slot } };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ERR_DLOPEN_DISABLED" ? "addons are disabled (--no-addons)" : message;
}
