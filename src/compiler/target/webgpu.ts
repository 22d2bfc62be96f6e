// GPUs behind WebGPU: what every adapter has to offer, as the standard's default limits say. A visitor's GPU is not known at build
// time, so the numbers of the whole machine are those of a small one.

import type { AcceleratorTarget } from "./target.ts";

export const webgpu: AcceleratorTarget = {
  kind: "accelerator",
  name: "webgpu",
  backend: "wgsl",
  features: [],
  threads: 1,
  limits: {
    vectorBytes: 16,
    groupBytes: 16 * 1024,
    threadsPerGroup: 256,
    threadsAlongZ: 64,
    /** Groups along each axis of a launch. */
    groupsAlongAxis: 65_535,
    /** Arrays in memory that one launch may name. */
    arraysPerLaunch: 8,
    arrayBytes: 128 * 1024 * 1024,
    registersPerThread: 128,
    processors: 16,
  },
};
