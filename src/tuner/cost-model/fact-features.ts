// Ranking facts as features that mean the same for every operator, shape and machine of a kind: nothing grows with the
// size of the task. Facts of all stages → one row, in octaves. What a model that learns from other tasks sees.

import type { Target } from "../../compiler/index.ts";
import type { MachineModel } from "../prior/machine-model.ts";
import {
  machineModelOf,
  predictNs,
  type RankingFacts,
  registersOf,
  weightedBytes,
  weightedIterations,
  weightedLoads,
} from "../prior/ranker.ts";
import { steadyLog2 } from "../support/steady.ts";

export const factColumns = [
  // The whole kernel, by operations that the user asks for.
  "predicted cycles per flop",
  "bytes from L2 per flop",
  "bytes from L3 per flop",
  "bytes from memory per flop",
  "packed bytes per flop",
  "iterations per flop",
  "stages",
  // The stage that takes longest by the prior.
  "its share of the time",
  "waste",
  "lanes",
  "multiply-add share",
  "accumulators",
  "live registers per register",
  "loads per operation",
  "body instructions",
  "parallel tasks",
] as const;

/** Computes the row of features. `stages` must not be empty. */
export function factFeatures(
  stages: readonly RankingFacts[],
  target: Target,
  machine: MachineModel = machineModelOf(target),
): number[] {
  const times = stages.map((facts) => predictNs(facts, target, machine));
  const total = times.reduce((sum, ns) => sum + ns, 0);
  const longest = times.indexOf(Math.max(...times));
  const sum = (pick: (facts: RankingFacts) => number): number => stages.reduce((so, facts) => so + pick(facts), 0);
  const flops = Math.max(
    1,
    sum((facts) => facts.flops),
  );
  return [
    steadyLog2(total / flops),
    octaves(sum((facts) => facts.bytesFromL2) / flops),
    octaves(sum((facts) => facts.bytesFromL3) / flops),
    octaves(sum((facts) => weightedBytes(facts, target, machine)) / flops),
    octaves(sum((facts) => facts.packedBytes) / flops),
    octaves(sum((facts) => weightedIterations(facts, target, machine)) / flops),
    stages.length,
    steadyLog2(times[longest]! / total),
    ...stageFeatures(stages[longest]!, target, machine),
  ];
}

const stageFeatures = (facts: RankingFacts, target: Target, machine: MachineModel): number[] => [
  steadyLog2(facts.waste),
  steadyLog2(facts.lanes),
  facts.multiplyAddShare,
  steadyLog2(facts.accumulators + 1),
  steadyLog2((facts.liveRegisters + 1) / registersOf(target)),
  steadyLog2(weightedLoads(facts, target, machine) + 1),
  steadyLog2(facts.bodyInstructions + 1),
  steadyLog2(facts.parallelTasks),
];

/** Converts an amount a flop, which may be 0, to octaves; less than a millionth counts as none. */
const octaves = (perFlop: number): number => steadyLog2(perFlop + 2 ** -20);
