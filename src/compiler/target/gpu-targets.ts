// Targets for each class of GPUs behind WebGPU, with the numbers of a common GPU of its maker. Limits are those of all adapters, so that every
// schedule runs everywhere, but for schedules by shuffles, which are for adapters with subgroups.

import { type GpuClass, type GpuKind, gpuClasses, leastLanes } from "./gpu-class.ts";
import { withShuffles } from "./shuffles.ts";
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

const plainTargets = gpuClasses.map((gpu): [GpuClass, AcceleratorTarget] => [
  gpu,
  { ...webgpu, name: `${webgpu.name}-${gpu}`, limits: { ...webgpu.limits, processors: processors[gpu] } },
]);

/** By the kind of GPUs, those of a class after each other. */
const byKind = new Map<GpuKind, AcceleratorTarget>(
  plainTargets.flatMap(([gpu, target]): [GpuKind, AcceleratorTarget][] => [
    [gpu, target],
    [`${gpu}-subgroups`, withShuffles(target, leastLanes[gpu])],
  ]),
);

/** Kinds of GPUs, those of a class after each other. */
export const gpuKinds: readonly GpuKind[] = [...byKind.keys()];

export const gpuTargets: readonly AcceleratorTarget[] = [...byKind.values()];

/** Returns the target of GPUs of a kind, for a kernel that all GPUs run; null: the kernel is of one class, or for no GPU. */
export const targetForGpu = ({ name }: Pick<Target, "name">, kind: GpuKind): string | null =>
  name === webgpu.name ? byKind.get(kind)!.name : null;
