// How long products on tensor cores take before anything is measured: RankingFacts → nanoseconds. Tensor cores, the memory of the group and L2 work
// beside each other, but not for long: a share of what is not the longest is waited for.
//
// Facts mean here: `bytesFromL2` what warps load from the memory of their group, `bytesFromL3` what groups load from L2, `lanes` elements of
// a tile, `loopIterations` steps between two barriers, `bodyInstructions` cycles that a step waits for memory.

import type { AcceleratorTarget } from "../../compiler/index.ts";
import type { MachineModel } from "./machine-model.ts";
import type { RankingFacts } from "./ranker.ts";
import { gpuRates } from "./tensor-core-sizes.ts";

type Work = Pick<RankingFacts, "flops" | "lanes" | "bytesFromL2" | "bytesFromL3">;

/** Elements of a tile that one warp holds; larger ones are held by four. */
const warpTileElements = 256;

/** Cycles that one processor takes for some work, without waiting. */
export function busyCycles({ flops, lanes, bytesFromL2, bytesFromL3 }: Work, others = 0): number {
  const { tensorFlops, groupTensorFlops, groupBytes, l2Bytes, visibleShare } = gpuRates;
  const most = lanes > warpTileElements ? groupTensorFlops : tensorFlops;
  const works = [flops / most, bytesFromL2 / groupBytes, bytesFromL3 / l2Bytes, others];
  const longest = Math.max(...works);
  return longest + visibleShare * (works.reduce((sum, it) => sum + it, 0) - longest);
}

export function tensorCoresNs(facts: RankingFacts, { limits }: AcceleratorTarget, { clockGhz }: MachineModel): number {
  const processors = limits.processors ?? 1;
  const memory = (facts.bytesFromMemory / gpuRates.memoryBytes) * processors;
  const busy = (busyCycles(facts, memory) * facts.waste) / processors;
  const rounds = Math.ceil(facts.parallelTasks / processors);
  const steps = facts.loopIterations / facts.parallelTasks;
  const waiting = rounds * steps * (gpuRates.cyclesPerBarrier + facts.bodyInstructions);
  return (busy + waiting + gpuRates.cyclesPerLaunch) / clockGhz;
}
