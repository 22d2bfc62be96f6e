// Knowledge of a visitor's GPU before anything is measured: none is known at build time, so it is a small one. RankingFacts →
// nanoseconds, by the longest of computing and traffic, with a share of the others, and what each step waits.
//
// Facts mean what they mean for the larger GPUs (gpu-model.ts): `bytesFromL2` comes from the memory of a group, `bytesFromL3` from L2.

import type { AcceleratorTarget } from "../../compiler/index.ts";
import { type MachineModel, machineModels } from "./machine-model.ts";
import type { AnalyticModel, RankingFacts } from "./ranker.ts";

/**
 * Amounts of a cycle of one of the processors, but for memory, which is one for all. Arithmetic, clock and memory are as Apple's M1 is
 * published: 2.6 TFLOP/s at 1.28 GHz, 68 GB/s. The others are of the same order as those of larger GPUs, for the arithmetic; not measured.
 */
export const webgpuRates = {
  clockGhz: 1.28,
  scalarFlops: 128,
  groupBytes: 64,
  l2Bytes: 24,
  memoryBytes: 53,
  visibleShare: 0.5,
  cyclesPerBarrier: 40,
  /** From the dispatch to the first thread. */
  cyclesPerLaunch: 10_000,
} as const;

const machine = { ...machineModels.c, clockGhz: webgpuRates.clockGhz };

/** The circle with ranker.ts is one of types: its table has this model. */
export const webgpuModel: AnalyticModel<AcceleratorTarget> = {
  name: "wgsl",
  // Only the clock counts here: `predictNs` goes by the machine's own numbers.
  machineOf: () => machine,
  registersOf: ({ limits }) => limits.registersPerThread ?? 1,
  predictNs(facts: RankingFacts, { limits }: AcceleratorTarget, { clockGhz }: MachineModel) {
    const { scalarFlops, groupBytes, l2Bytes, memoryBytes, visibleShare } = webgpuRates;
    const processors = limits.processors ?? 1;
    const share = facts.waste / processors;
    const works = [
      (facts.flops / scalarFlops) * share,
      (facts.bytesFromL2 / groupBytes) * share,
      (facts.bytesFromL3 / l2Bytes) * share,
      facts.bytesFromMemory / memoryBytes,
    ];
    const longest = Math.max(...works);
    const busy = longest + visibleShare * (works.reduce((sum, it) => sum + it, 0) - longest);
    const rounds = Math.ceil(facts.parallelTasks / processors);
    const steps = facts.loopIterations / facts.parallelTasks;
    const waiting = rounds * steps * (webgpuRates.cyclesPerBarrier + facts.bodyInstructions);
    return (busy + waiting + webgpuRates.cyclesPerLaunch) / clockGhz;
  },
};
