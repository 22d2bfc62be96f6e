// Knowledge of a visitor's GPU before anything is measured: none is known at build time, so it is a small one, or one that is common of a
// class. RankingFacts → nanoseconds, by the longest of computing and traffic, with a share of the others, and what each step waits.
//
// Facts mean what they mean for the larger GPUs (gpu-model.ts): `bytesFromL2` comes from the memory of a group, `bytesFromL3` from L2. Of
// groups, `accumulators` are those that a processor has beside each other, `bodyInstructions` cycles that a step of one waits, which the
// others may fill, and `walksBegun` cycles in which all of them begin and meet.

import { type AcceleratorTarget, remembered } from "../../compiler/index.ts";
import { type GpuMachine, gpuMachineOf } from "./gpu-machines.ts";
import { type MachineModel, machineModels } from "./machine-model.ts";
import type { AnalyticModel, RankingFacts } from "./ranker.ts";

/** Only the clock counts here: `predictNs` goes by the machine's own numbers. */
const modelOf = remembered(({ clockGhz }: GpuMachine): Required<MachineModel> => ({ ...machineModels.c, clockGhz }));

/** The circle with ranker.ts is one of types: its table has this model. */
export const webgpuModel: AnalyticModel<AcceleratorTarget> = {
  name: "wgsl",
  // Every visitor gets what is predicted, so it is worth looking for longer.
  descends: true,
  machineOf: (target) => modelOf(gpuMachineOf(target)),
  registersOf: ({ limits }) => limits.registersPerThread ?? 1,
  predictNs(facts: RankingFacts, target: AcceleratorTarget, { clockGhz }: MachineModel) {
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
  },
};

/** Cycles in which all groups of a processor wait: while one does, the others work. */
function waiting(facts: RankingFacts, busy: number, processors: number): number {
  const { loopIterations, parallelTasks, bodyInstructions, accumulators } = facts;
  const beside = Math.max(1, accumulators);
  const steps = Math.ceil(parallelTasks / processors) * (loopIterations / parallelTasks);
  return (steps / beside) * Math.max(0, bodyInstructions - (beside - 1) * (busy / steps));
}
