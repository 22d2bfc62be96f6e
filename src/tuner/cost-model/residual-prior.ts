// The analytic prior corrected by experience: how far it was off on records of other shapes and operators, learnt on
// features that mean the same for all. Records → a factor for the prior of any candidate.

import type { Target } from "../../compiler/index.ts";
import { generations } from "../known-records.ts";
import { searchedNs } from "../measure/measurement.ts";
import type { TuningRecord } from "../record/record.ts";
import { boostedTrees, defaultBoostedTrees } from "./boosted-trees.ts";
import { matrixOf } from "./cost-model.ts";
import { factFeatures } from "./fact-features.ts";
import { factsOfRows } from "./fact-rows.ts";
import type { MachineModel } from "./machine-model.ts";
import { predictTotalNs, type RankingFacts } from "./ranker.ts";
import { soundFacts } from "./sound-facts.ts";
import { steady, steadyLog2 } from "./steady.ts";

/** Octaves to add to log₂ of the prior. */
export type Residual = (stages: readonly RankingFacts[]) => number;

/** A record that tells something. */
interface Experience {
  readonly facts: readonly RankingFacts[];
  /** Null: it failed. */
  readonly ns: number | null;
}

/** Fewer rows teach less than they mislead. */
const leastRows = 24;
/** The latest, so that a long history costs no more than a tenth of a second. */
const mostTasks = 16;
const mostOfTask = 96;
/** The prior is not corrected by more, and failures count as so much too optimistic. */
const mostOctaves = 2;
/** Slow candidates say little about which of the fast ones is fastest: they weigh as their speed, but at least this. */
const leastWeight = 0.05;

/** Fewer and flatter trees than a search's own model: there is one correction for all operators. */
const model = boostedTrees({ ...defaultBoostedTrees, trees: 40, maxDepth: 4, learningRate: 0.15, lambda: 4 });

/** Null: the records tell too little. They are of one target class. */
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

/** Only differences within a task count, and every task counts the same. */
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

/** Weights of a task sum to about this: what a short tuning measures, so that leaves are as sure as they look. */
const typicalRows = 48;
