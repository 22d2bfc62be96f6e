// How long groups of threads take on a GPU, before anything is measured: RankingFacts → nanoseconds, by the longest of computing and traffic,
// with a share of the others, and what each step waits. Numbers of the machine come from gpu-machines.ts.
//
// Facts mean what they mean for tensor cores (tensor-core-model.ts): `bytesFromL2` comes from the memory of a group, `bytesFromL3` from L2. Of
// groups, `accumulators` are those that a processor has beside each other, `bodyInstructions` cycles that a step of one waits, which the
// others may fill, and `walksBegun` cycles in which all of them begin and meet.

import { type AcceleratorTarget, remembered } from "../../compiler/index.ts";
import { type GpuMachine, gpuMachineOf } from "./gpu-machines.ts";
import { type MachineModel, machineModels } from "./machine-model.ts";
import type { RankingFacts } from "./ranker.ts";

const modelOf = remembered(({ clockGhz }: GpuMachine): Required<MachineModel> => ({ ...machineModels.c, clockGhz }));

/** Numbers of a target's GPU in the form of a CPU's: only the clock counts, `threadsNs` goes by the machine's own. */
export const gpuClockOf = (target: AcceleratorTarget): Required<MachineModel> => modelOf(gpuMachineOf(target));

export function threadsNs(facts: RankingFacts, target: AcceleratorTarget, { clockGhz }: MachineModel): number {
  const { scalarFlops, groupBytes, l2Bytes, memoryBytes, visibleShare, cyclesPerLaunch } = gpuMachineOf(target);
  const processors = target.limits.processors ?? 1;
  const share = facts.waste / processors;
  const works = [
    (facts.flops / scalarFlops) * share,
    (facts.bytesFromL2 / groupBytes) * share,
    (facts.bytesFromL3 / l2Bytes) * share,
    (facts.walksBegun ?? 0) / processors,
    facts.bytesFromMemory / memoryBytes,
  ];
  const longest = Math.max(...works);
  const busy = longest + visibleShare * (works.reduce((sum, it) => sum + it, 0) - longest);
  return (busy + waiting(facts, busy, processors) + cyclesPerLaunch) / clockGhz;
}

/** Cycles in which all groups of a processor wait: while one does, the others work. */
function waiting(facts: RankingFacts, busy: number, processors: number): number {
  const { loopIterations, parallelTasks, bodyInstructions, accumulators } = facts;
  const beside = Math.max(1, accumulators);
  const steps = Math.ceil(parallelTasks / processors) * (loopIterations / parallelTasks);
  return (steps / beside) * Math.max(0, bodyInstructions - (beside - 1) * (busy / steps));
}
