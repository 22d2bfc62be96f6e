// A target for each class of GPUs behind WebGPU, with the numbers of a common GPU of its maker. Limits are those of all adapters, so that every
// schedule runs everywhere.

import { type GpuClass, gpuClasses } from "./gpu-class.ts";
import type { AcceleratorTarget, Target } from "./target.ts";
import { webgpu } from "./webgpu.ts";

/** Processors as makers publish them: cores, streaming multiprocessors, compute units, Xe cores, … */
const processors: Readonly<Record<GpuClass, number>> = {
  apple: 8,
  nvidia: 30,
  amd: 32,
  intel: 8,
  qualcomm: 6,
  arm: 10,
  software: 2,
};

const named = (gpu: GpuClass): string => `${webgpu.name}-${gpu}`;

export const gpuTargets: readonly AcceleratorTarget[] = gpuClasses.map((gpu) => ({
  ...webgpu,
  name: named(gpu),
  limits: { ...webgpu.limits, processors: processors[gpu] },
}));

/** Returns the target of a class for a kernel that GPUs of all classes run; null: the kernel is of one class, or for no GPU. */
export const targetForGpu = ({ name }: Pick<Target, "name">, gpu: GpuClass): string | null =>
  name === webgpu.name ? named(gpu) : null;
