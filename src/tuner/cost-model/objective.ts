// The losses that a boosted model minimises: squared errors of the scores, or wrongly ordered pairs.

import type { Rng } from "../support/rng.ts";
import { steady } from "../support/steady.ts";
import type { Gradients } from "./regression-tree.ts";

export const objectiveNames = ["squared-error", "pairwise-rank"] as const;
export type ObjectiveName = (typeof objectiveNames)[number];

/** Computes gradients at the predictions made so far. */
export type Objective = (predictions: Float64Array, scores: Float64Array, rng: Rng) => Gradients;

export const objectives: { readonly [K in ObjectiveName]: Objective } = {
  "squared-error": (predictions, scores) => ({
    first: predictions.map((prediction, row) => prediction - scores[row]!),
    second: new Float64Array(scores.length).fill(1),
  }),
  "pairwise-rank": pairwiseRank,
};

/** Random partners that each row is compared with in each tree: a sample of all pairs. */
const partnersPerRow = 8;

/** Logistic loss of score order (Burges et al., RankNet, ICML 2005). */
function pairwiseRank(predictions: Float64Array, scores: Float64Array, rng: Rng): Gradients {
  const rows = scores.length;
  const [first, second] = [new Float64Array(rows), new Float64Array(rows)];
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < partnersPerRow; k++) {
      const other = rng.below(rows);
      if (scores[row] === scores[other]) continue;
      const [better, worse] = scores[row]! > scores[other]! ? [row, other] : [other, row];
      const wrong = steady(1 / (1 + Math.exp(predictions[better]! - predictions[worse]!)));
      const curvature = wrong * (1 - wrong);
      first[better]! -= wrong;
      first[worse]! += wrong;
      second[better]! += curvature;
      second[worse]! += curvature;
    }
  }
  return { first, second };
}
