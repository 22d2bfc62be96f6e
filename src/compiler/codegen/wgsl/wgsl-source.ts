// Code of a kernel for WebGPU: a text with one entry point a launch, and how they are launched.

import type { KernelSource } from "../kernel-source.ts";

/** A dispatch of one entry point, `grid` groups of `group` threads. */
export interface WgslLaunch {
  /** Name of the `@compute` function, which has the size of a group in its text. */
  readonly entry: string;
  /** Numbers of groups along x, y and z. */
  readonly grid: readonly [number, number, number];
  /**
   * Arrays that it names, each by its number: the parameters in order, then all scratch memory. `@group(0) @binding(n)` is array `n`, so
   * the layout "auto" of the pipeline has these bindings and no others.
   */
  readonly arrays: readonly number[];
}

/** Memory of the device that launches of one run pass on. */
export interface WgslScratch {
  readonly name: string;
  readonly bytes: number;
}

export interface WgslSource extends KernelSource {
  readonly kind: "wgsl";
  /** Elements of arrays lie as in typed arrays, and the buffers end at a multiple of 16 bytes. */
  readonly text: string;
  /** Launches of one run, in order. */
  readonly launches: readonly WgslLaunch[];
  readonly scratch: readonly WgslScratch[];
  /** Features that the device is asked for: "shader-f16". */
  readonly features: readonly string[];
  /** Threads that its subgroups have to have at the least, as so many hand each other values; 0: none do. */
  readonly shuffleLanes: number;
}

/** Says whether a source is WGSL, for what only GPUs behind WebGPU have. */
export const isWgslSource = (source: KernelSource): source is WgslSource => source.kind === "wgsl";

/** Threads that subgroups have to have for all of the sources; undefined: any number. */
export const lanesFor = (sources: readonly WgslSource[]): number | undefined =>
  Math.max(...sources.map(({ shuffleLanes }) => shuffleLanes)) || undefined;
