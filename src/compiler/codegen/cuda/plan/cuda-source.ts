// Code of a kernel for NVIDIA's GPUs: a text with one function a launch, CUDA C or PTX, and how the functions are launched.

import type { Numerics } from "../../../target/target.ts";
import type { KernelSource } from "../../kernel-source.ts";

/**
 * Map of an array for copies of boxes: the array as rows of elements, and the part of it that one copy brings. Its pieces of 16 bytes are
 * swapped on their way, by the swizzle of 128 bytes.
 */
export interface BoxMap {
  /** Number of the array among the addresses of a launch. */
  readonly array: number;
  readonly elementBytes: 1 | 2;
  /** Elements of a row, and rows. */
  readonly columns: number;
  readonly rows: number;
  /** Elements and rows of a box. */
  readonly box: readonly [number, number];
}

/**
 * A launch of one function, `grid` groups of `group` threads. Its arguments are the addresses of all parameters, then of all scratch memory,
 * then its maps.
 */
export interface CudaLaunch {
  /** Name of the `extern "C" __global__` function. */
  readonly entry: string;
  /** Numbers of groups and of threads along x, y and z. */
  readonly grid: readonly [number, number, number];
  readonly group: readonly [number, number, number];
  /** Bytes of memory that a group shares, given at the launch. */
  readonly groupBytes: number;
  /** Groups along x that are a cluster, as the function says itself; absent: none are. */
  readonly cluster?: number;
  /** Maps of the arrays that boxes are copied of; absent: of none. */
  readonly maps?: readonly BoxMap[];
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
  /**
   * The same functions as PTX, for machines without a compiler; printed when it is asked for.
   *
   * @param architecture "sm_80"
   */
  readonly ptx: (architecture: string) => string;
  /** Launches of one run, in order. */
  readonly launches: readonly CudaLaunch[];
  readonly scratch: readonly Scratch[];
  /** Architecture that the text is compiled for: "sm_90". */
  readonly architecture: string;
  /** "strict" is compiled without fused multiply-adds. */
  readonly numerics: Numerics;
}
