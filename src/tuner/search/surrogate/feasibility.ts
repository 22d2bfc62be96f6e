// Learns what the constraints miss: trials that failed → the probability that a point runs. An ensemble of classifiers, each
// trained on a resample of the trials (BE-CBO, Tian et al., ICML 2024, takes neural networks; trees need fewer trials).

import { boostedTrees } from "../../cost-model/boosted-trees.ts";
import type { FeatureMatrix } from "../../cost-model/cost-model.ts";
import type { Rng } from "../../support/rng.ts";

/** Returns one probability a row. */
export type Feasibility = (features: FeatureMatrix) => Float64Array;

export const feasibilityParameters = {
  members: 6,
  /** Failures often follow from two or three decisions. */
  model: boostedTrees({ trees: 20, maxDepth: 3, learningRate: 0.3 }),
  /** Least probability, however sure the ensemble is. */
  least: 0.01,
} as const;

/** Learns from rows; `ran` says of each whether it ran. As long as nothing failed, every point is expected to run. */
export function learnFeasibility(features: FeatureMatrix, ran: readonly boolean[], rng: Rng): Feasibility {
  if (ran.every((one) => one)) return ({ rows }) => new Float64Array(rows).fill(1);
  // Each kind is resampled by itself: few failures would be missing from many a resample of all.
  const rows = [...ran.keys()];
  const [failed, rest] = [rows.filter((row) => !ran[row]), rows.filter((row) => ran[row])];
  const members = Array.from({ length: feasibilityParameters.members }, () => {
    const sample = [...resampled(failed, rng), ...resampled(rest, rng)];
    return feasibilityParameters.model.fit({
      features: rowsOf(features, sample),
      scores: Float64Array.from(sample, (row) => (ran[row] ? 1 : 0)),
      base: new Float64Array(sample.length),
    });
  });
  return (queries) => {
    const votes = members.map((member) => member.predict(queries));
    return Float64Array.from({ length: queries.rows }, (_, row) => {
      const mean = votes.reduce((sum, vote) => sum + vote[row]!, 0) / votes.length;
      return Math.min(1, Math.max(feasibilityParameters.least, mean));
    });
  };
}

const resampled = (rows: readonly number[], rng: Rng): number[] => rows.map(() => rng.pick(rows));

function rowsOf({ columns, data }: FeatureMatrix, rows: readonly number[]): FeatureMatrix {
  const chosen = new Float64Array(rows.length * columns);
  rows.forEach((row, k) => {
    chosen.set(data.subarray(row * columns, (row + 1) * columns), k * columns);
  });
  return { rows: rows.length, columns, data: chosen };
}
