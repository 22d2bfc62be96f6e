// Shuffles: the threads of a subgroup hand each other what they have in registers, without memory between them and without waiting. The warps of
// CUDA have 32 threads. Subgroups of WebGPU are an optional feature of an adapter, which says how many threads the smallest have.

import type { AcceleratorTarget, Target } from "./target.ts";

/** Lanes of a warp, which also hold a tile together. */
export const warpLanes = 32;

/** Feature of a device that has subgroups. */
export const subgroupsFeature = "subgroups";

/** Returns how many neighbours of a thread can hand it values, itself included, a power of two; 0: none. */
export const shuffleLanesOf = (target: Target): number =>
  target.kind === "cpu" ? 0 : (target.limits.shuffleLanes ?? (target.backend === "cuda" ? warpLanes : 0));

/** @example withShuffles(webgpu, 8) */
export const withShuffles = (target: AcceleratorTarget, shuffleLanes: number): AcceleratorTarget => ({
  ...target,
  name: `${target.name}-subgroups`,
  features: [...target.features, subgroupsFeature],
  limits: { ...target.limits, shuffleLanes },
});
