// NVIDIA's GPUs by architecture, with the numbers of the largest machine of each: what a group of threads may take, and what the
// whole machine has.

import type { AcceleratorTarget } from "./target.ts";

const common = {
  kind: "accelerator",
  backend: "cuda",
  threads: 1,
} as const;

/** Ampere: mma.sync on f16, bf16 and bytes, copies in the background. */
export const cudaSm80: AcceleratorTarget = {
  ...common,
  name: "cuda-sm80",
  features: ["sm_80"],
  limits: {
    vectorBytes: 16,
    groupBytes: 163 * 1024,
    threadsPerGroup: 1024,
    registersPerThread: 255,
    registersPerProcessor: 64 * 1024,
    processors: 108,
  },
};

/** Hopper, by the instructions of Ampere. */
export const cudaSm90: AcceleratorTarget = {
  ...common,
  name: "cuda-sm90",
  features: ["sm_80", "sm_90", "sm_90a"],
  limits: { ...cudaSm80.limits, groupBytes: 227 * 1024, processors: 132 },
};

/** From the oldest machines to the newest. */
export const cudaTargets: readonly AcceleratorTarget[] = [cudaSm80, cudaSm90];
