// The default cost model: gradient-boosted regression trees on histograms. Trains in 30 to 200 ms at a tuner's sizes,
// where native XGBoost has no advantage, and gives the same trees on every machine.

import { createRng } from "../support/rng.ts";
import type { CostModel, FeatureMatrix, Predictor, TrainingSet } from "./cost-model.ts";
import { type ObjectiveName, objectives } from "./objective.ts";
import { quantize } from "./quantize.ts";
import { addTree, type Gradients, growTree, type RegressionTree, type TreeOptions } from "./regression-tree.ts";

export interface BoostedTreesOptions extends TreeOptions {
  readonly objective: ObjectiveName;
  readonly trees: number;
  /** Seed of the pairs that `pairwise-rank` compares. */
  readonly seed: number;
}

export const defaultBoostedTrees: BoostedTreesOptions = {
  objective: "squared-error",
  trees: 60,
  maxDepth: 6,
  lambda: 1,
  minLeafWeight: 1,
  learningRate: 0.2,
  seed: 1,
};

/** A fitted model as plain data: it survives JSON unchanged. */
export interface BoostedTrees {
  readonly start: number;
  readonly trees: readonly RegressionTree[];
  readonly importance: readonly number[];
}

/**
 *     const model = boostedTrees({ objective: "pairwise-rank" });
 *     const scores = model.fit({ features, scores, base }).predict(other);
 */
export function boostedTrees(options: Partial<BoostedTreesOptions> = {}): CostModel {
  const all = { ...defaultBoostedTrees, ...options };
  return { name: `boosted-trees ${all.objective}`, fit: (set) => predictorOf(fitBoostedTrees(set, all)) };
}

export function fitBoostedTrees(
  { features, scores, base, weights }: TrainingSet,
  options: BoostedTreesOptions,
): BoostedTrees {
  const quantized = quantize(features);
  const rng = createRng(options.seed);
  const start = options.objective === "squared-error" ? mean(scores, weights) - mean(base, weights) : 0;
  const predictions = base.map((value) => value + start);
  const gains = new Float64Array(features.columns);
  const trees: RegressionTree[] = [];
  for (let k = 0; k < options.trees && features.rows > 0; k++) {
    const gradients = weighed(objectives[options.objective](predictions, scores, rng), weights);
    const tree = growTree(quantized, gradients, options, gains);
    addTree(tree, features.data, features.columns, predictions);
    trees.push(tree);
  }
  const total = gains.reduce((sum, gain) => sum + gain, 0);
  return { start, trees, importance: Array.from(gains, (gain) => (total > 0 ? gain / total : 0)) };
}

export function predictorOf({ start, trees, importance }: BoostedTrees): Predictor {
  const predict = ({ rows, columns, data }: FeatureMatrix): Float64Array => {
    const result = new Float64Array(rows).fill(start);
    for (const tree of trees) addTree(tree, data, columns, result);
    return result;
  };
  return { predict, importance: Float64Array.from(importance) };
}

function weighed(gradients: Gradients, weights: Float64Array | undefined): Gradients {
  if (!weights) return gradients;
  const times = (values: Float64Array): Float64Array => values.map((value, row) => value * weights[row]!);
  return { first: times(gradients.first), second: times(gradients.second) };
}

function mean(values: Float64Array, weights: Float64Array | undefined): number {
  if (values.length === 0) return 0;
  const weightOf = (row: number): number => weights?.[row] ?? 1;
  const total = values.reduce((sum, _, row) => sum + weightOf(row), 0);
  return values.reduce((sum, value, row) => sum + value * weightOf(row), 0) / total;
}
