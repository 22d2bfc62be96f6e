// Knowledge of a GPU before anything is measured: how long its processors take for the groups of a launch. Tensor cores, the memory of
// the group and L2 work beside each other, but not for long: a share of what is not the longest is waited for. RankingFacts → nanoseconds.
//
// Facts mean here: `bytesFromL2` what warps load from the memory of their group, `bytesFromL3` what groups load from L2,
// `loopIterations` steps between two barriers, `bodyInstructions` cycles that a step, or a thread, waits for memory.

import type { AcceleratorTarget } from "../../compiler/index.ts";
import { type MachineModel, machineModels } from "./machine-model.ts";
import type { AnalyticModel, RankingFacts } from "./ranker.ts";

/** Amounts of a cycle of one processor, but for memory, which is one for all. Of Hopper, by the instructions of Ampere. */
export const gpuRates = {
  clockGhz: 1.755,
  /** Tensor cores, by products of a warp, and by those of four warps, which run on their own. */
  tensorFlops: 2_700,
  groupTensorFlops: 4_100,
  scalarFlops: 256,
  groupBytes: 128,
  l2Bytes: 48,
  memoryBytes: 1_900,
  /** Share of the shorter works that is not hidden behind the longest. Fitted to 40 measured products of 4096³ on an H200. */
  visibleShare: 0.5,
  cyclesPerBarrier: 50,
  /** From the request of a copy to its arrival. */
  memoryLatency: 900,
  /** Until the first thread runs, and from the last one to the next launch. */
  cyclesPerLaunch: 4_000,
  /** A thread waits for each element that it adds up; so many groups of such threads wait beside each other. */
  cyclesPerStep: 40,
  groupsOfMaps: 8,
  /** Threads and bytes of memory for groups that a processor has; each group takes a little more than it asks for. */
  threadsPerProcessor: 2_048,
  bytesBesideGroup: 1_024,
} as const;

/** Sizes that groups of threads are made by. */
export const gpuSizes = {
  /** Elements of two bytes that a thread copies at once, and by which rows in the memory of a group are longer, so that eight lie in different banks. */
  pieceElements: 8,
  rowPadding: 8,
  /** Rows of a panel, of eight pieces each, that 128 lanes copy at a time. */
  panelRows: 16,
  /** Fewest threads of a group: one warp alone waits for each of its loads. */
  leastThreads: 64,
  /** Most sums of a thread: more of them leave the registers. */
  mostSums: 128,
  /**
   * Registers of a thread: so many for each of its sums, operands counted, and for addresses and counters. The first are those of products of a warp,
   * which loads operands into registers: the compiler takes 64, 96, 128 or 168 for about the same. test/compiler/cuda/machine-code.test.ts says how often it is near.
   */
  warpRegisters: { perSum: 1.25, beside: 28 },
  groupRegisters: { perSum: 1, beside: 32 },
} as const;

type Work = Pick<RankingFacts, "flops" | "lanes" | "bytesFromL2" | "bytesFromL3">;

/** Elements of a tile that one warp holds; larger ones are held by four. */
const warpTileElements = 256;

function flopsOf(lanes: number): number {
  const { tensorFlops, groupTensorFlops, scalarFlops } = gpuRates;
  return lanes > warpTileElements ? groupTensorFlops : lanes > 1 ? tensorFlops : scalarFlops;
}

/** Cycles that one processor takes for some work, without waiting. */
export function busyCycles({ flops, lanes, bytesFromL2, bytesFromL3 }: Work, others = 0): number {
  const { groupBytes, l2Bytes, visibleShare } = gpuRates;
  const works = [flops / flopsOf(lanes), bytesFromL2 / groupBytes, bytesFromL3 / l2Bytes, others];
  const longest = Math.max(...works);
  return longest + visibleShare * (works.reduce((sum, it) => sum + it, 0) - longest);
}

const machine = { ...machineModels.c, clockGhz: gpuRates.clockGhz };

export const gpuModel: AnalyticModel<AcceleratorTarget> = {
  name: "cuda",
  // Only the clock counts here: `predictNs` goes by the machine's own numbers.
  machineOf: () => machine,
  registersOf: ({ limits }) => limits.registersPerThread ?? 1,
  predictNs(facts: RankingFacts, { limits }: AcceleratorTarget, { clockGhz }: MachineModel) {
    const processors = limits.processors ?? 1;
    const memory = (facts.bytesFromMemory / gpuRates.memoryBytes) * processors;
    const busy = (busyCycles(facts, memory) * facts.waste) / processors;
    const rounds = Math.ceil(facts.parallelTasks / processors);
    const steps = facts.loopIterations / facts.parallelTasks;
    const waiting = rounds * steps * (gpuRates.cyclesPerBarrier + facts.bodyInstructions);
    return (busy + waiting + gpuRates.cyclesPerLaunch) / clockGhz;
  },
};
