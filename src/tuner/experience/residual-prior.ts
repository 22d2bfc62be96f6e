// The analytic prior corrected by experience: how far it was off on records of other shapes and operators, learnt on
// features that mean the same for all. Records → a factor for the prior of any candidate.

import type { Target } from "../../compiler/index.ts";
import { boostedTrees, defaultBoostedTrees } from "../cost-model/boosted-trees.ts";
import { matrixOf } from "../cost-model/cost-model.ts";
import { factFeatures } from "../cost-model/fact-features.ts";
import { searchedNs } from "../data/measurement.ts";
import type { TuningRecord } from "../data/record.ts";
import { factsOfRows } from "../prior/fact-rows.ts";
import type { MachineModel } from "../prior/machine-model.ts";
import { predictTotalNs, type RankingFacts } from "../prior/ranker.ts";
import { soundFacts } from "../prior/sound-facts.ts";
import { steady, steadyLog2 } from "../support/steady.ts";
import { generations } from "./known-records.ts";

/** Returns octaves to add to log₂ of the prior. */
export type Residual = (stages: readonly RankingFacts[]) => number;

/** A record to learn from. */
interface Experience {
  readonly facts: readonly RankingFacts[];
  /** Time of the record; null: it failed. */
  readonly ns: number | null;
}

/** Fewest rows to learn from: fewer mislead more than they teach. */
const leastRows = 24;
/** Most tasks to learn from, the latest ones, so that a long history costs no more than a tenth of a second. */
const mostTasks = 16;
const mostOfTask = 96;
/** Largest correction of the prior, in octaves. Failures count as so much too optimistic. */
const mostOctaves = 2;
/** Least weight of a row. Rows weigh as their speed: slow candidates tell little about which of the fast ones is fastest. */
const leastWeight = 0.05;

/** Model of fewer and flatter trees than a search's own: there is one correction for all operators. */
const model = boostedTrees({ ...defaultBoostedTrees, trees: 40, maxDepth: 4, learningRate: 0.15, lambda: 4 });

/** Learns the correction from records of one target class. Null: they tell too little. */
export function learnResidual(
  records: readonly TuningRecord[],
  target: Target,
  machine?: MachineModel,
): Residual | null {
  const rows = byTask(records, target)
    .slice(-mostTasks)
    .flatMap((task) => rowsOf(task.slice(-mostOfTask), target, machine));
  if (rows.length < leastRows) return null;
  const { predict } = model.fit({
    features: matrixOf(rows.map(({ features }) => features)),
    scores: Float64Array.from(rows, ({ octaves }) => octaves),
    base: new Float64Array(rows.length),
    weights: Float64Array.from(rows, ({ weight }) => weight),
  });
  return (stages) => steady(predict(matrixOf([factFeatures(stages, target, machine)]))[0]!);
}

function byTask(records: readonly TuningRecord[], target: Target): readonly (readonly Experience[])[] {
  const told = generations(records).map((group) =>
    group.flatMap(({ facts: rows, measurement }): readonly Experience[] => {
      const read = factsOfRows(rows);
      const facts = read && soundFacts(read, target);
      return facts && measurement.kind !== "build-failed" ? [{ facts, ns: searchedNs(measurement) }] : [];
    }),
  );
  return told.filter(({ length }) => length > 0);
}

interface Row {
  readonly features: readonly number[];
  readonly octaves: number;
  readonly weight: number;
}

/** Makes a task's rows. Only differences within a task count, and every task counts the same. */
function rowsOf(task: readonly Experience[], target: Target, machine?: MachineModel): readonly Row[] {
  const timed = task.filter(({ ns }) => ns !== null);
  if (timed.length === 0) return [];
  const offsets = timed.map(({ facts, ns }) => steadyLog2(ns! / predictTotalNs(facts, target, machine)));
  const best = Math.min(...timed.map(({ ns }) => ns!));
  const weights = timed.map(({ ns }) => Math.max(leastWeight, best / ns!));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const centre = weights.reduce((sum, weight, at) => sum + weight * offsets[at]!, 0) / total;
  const offsetOf = ({ facts, ns }: Experience): number =>
    ns === null ? mostOctaves : steadyLog2(ns / predictTotalNs(facts, target, machine)) - centre;
  return task.map((one) => ({
    features: factFeatures(one.facts, target, machine),
    octaves: Math.max(-mostOctaves, Math.min(mostOctaves, offsetOf(one))),
    weight: ((one.ns === null ? leastWeight : Math.max(leastWeight, best / one.ns)) / total) * typicalRows,
  }));
}

/** Sum of a task's weights, about what a short tuning measures, so that leaves are as sure as they look. */
const typicalRows = 48;
