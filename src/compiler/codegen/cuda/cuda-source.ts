// Code of a kernel for NVIDIA's GPUs: a text with one function a launch, and how the functions are launched.

import type { Numerics } from "../../target/target.ts";
import type { KernelSource } from "../kernel-source.ts";

/** A launch of one function, `grid` groups of `group` threads. Its arguments are the addresses of all parameters, then of all scratch memory. */
export interface CudaLaunch {
  /** Name of the `extern "C" __global__` function. */
  readonly entry: string;
  /** Numbers of groups and of threads along x, y and z. */
  readonly grid: readonly [number, number, number];
  readonly group: readonly [number, number, number];
  /** Bytes of memory that a group shares, given at the launch. */
  readonly groupBytes: number;
}

/** Memory of the device that launches of one run pass on. */
export interface Scratch {
  readonly name: string;
  readonly bytes: number;
}

/** Says whether a source is CUDA C. */
export const isCudaSource = (source: KernelSource): source is CudaSource => source.kind === "cuda";

export interface CudaSource extends KernelSource {
  readonly kind: "cuda";
  readonly text: string;
  /** Launches of one run, in order. */
  readonly launches: readonly CudaLaunch[];
  readonly scratch: readonly Scratch[];
  /** Architecture that the text is compiled for: "sm_90". */
  readonly architecture: string;
  /** "strict" is compiled without fused multiply-adds. */
  readonly numerics: Numerics;
}
