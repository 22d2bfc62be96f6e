import { describe, expect, test } from "vitest";
import {
  type BoostedTrees,
  boostedTrees,
  defaultBoostedTrees,
  fitBoostedTrees,
  predictorOf,
} from "../../../src/tuner/cost-model/boosted-trees.ts";
import { matrixOf, type TrainingSet } from "../../../src/tuner/cost-model/cost-model.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { r2, spearman } from "./statistics.ts";

const columns = 12;

/** Depends on columns 0 to 3, with an interaction; the others are noise. */
const score = (x: ArrayLike<number>): number => Math.sin(x[0]! * 3) + x[1]! * x[2]! - 0.5 * Math.abs(x[3]! - 0.5);

function data(rows: number, seed: number): TrainingSet {
  const rng = createRng(seed);
  const list = Array.from({ length: rows }, () => Array.from({ length: columns }, rng.unit));
  return { features: matrixOf(list), scores: Float64Array.from(list, score), base: new Float64Array(rows) };
}

const training = data(800, 1);
const held = data(400, 2);

describe("boosted trees", () => {
  test("learn a function with an interaction", () => {
    const predictions = boostedTrees().fit(training).predict(held.features);
    expect(r2(predictions, held.scores)).toBeGreaterThan(0.95);
    expect(spearman(predictions, held.scores)).toBeGreaterThan(0.97);
  });

  test("order candidates by the rank objective", () => {
    const predictions = boostedTrees({ objective: "pairwise-rank" }).fit(training).predict(held.features);
    expect(spearman(predictions, held.scores)).toBeGreaterThan(0.95);
  });

  test("learn from 48 rows what a tuner measures in its first rounds", () => {
    const predictions = boostedTrees().fit(data(48, 3)).predict(held.features);
    expect(spearman(predictions, held.scores)).toBeGreaterThan(0.7);
  });

  test("are the same with columns that tell rows apart as others do", () => {
    const values = data(80, 4).features.data;
    const rows = Array.from({ length: 80 }, (_, row) => [...values.subarray(row * columns, (row + 1) * columns)]);
    const scores = Float64Array.from(rows, score);
    const trained = (list: readonly (readonly number[])[]) =>
      boostedTrees().fit({ features: matrixOf(list), scores, base: new Float64Array(80) });
    const [once, twice] = [trained(rows), trained(rows.map((row) => [...row, ...row.map((value) => 2 * value + 1)]))];
    expect([...twice.importance.slice(0, columns)]).toEqual([...once.importance]);
    expect([...twice.importance.slice(columns)]).toEqual(Array(columns).fill(0));
  });

  test("find the columns that matter", () => {
    const { importance } = boostedTrees().fit(training);
    expect(importance.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    const relevant = [0, 1, 2, 3].map((column) => importance[column]!);
    expect(Math.min(...relevant)).toBeGreaterThan(Math.max(...importance.slice(4)));
    expect(relevant.reduce((sum, share) => sum + share, 0)).toBeGreaterThan(0.9);
  });

  test.each(["squared-error", "pairwise-rank"] as const)("are the same at each fit with %s", (objective) => {
    const options = { ...defaultBoostedTrees, objective };
    expect(fitBoostedTrees(training, options)).toEqual(fitBoostedTrees(training, options));
  });

  test("survive JSON", () => {
    const fitted = fitBoostedTrees(training, defaultBoostedTrees);
    const read = JSON.parse(JSON.stringify(fitted)) as BoostedTrees;
    expect(predictorOf(read).predict(held.features)).toEqual(predictorOf(fitted).predict(held.features));
  });

  test("add to a base what it lacks", () => {
    const base = training.scores.map((value) => value + 3);
    const predictions = boostedTrees()
      .fit({ ...training, base })
      .predict(held.features);
    for (const prediction of predictions) expect(prediction).toBeCloseTo(-3, 2);
  });

  test("learn nothing from equal scores, and say so", () => {
    const predictor = boostedTrees().fit({ ...training, scores: new Float64Array(800).fill(0.7) });
    expect([...predictor.importance]).toEqual(new Array(columns).fill(0));
    expect(predictor.predict(held.features)[0]).toBeCloseTo(0.7, 9);
  });

  test("fit one row, and none", () => {
    const one = boostedTrees().fit(data(1, 5));
    expect(one.predict(held.features)[0]).toBeCloseTo(data(1, 5).scores[0]!, 9);
    const none = boostedTrees().fit({ features: matrixOf([]), scores: new Float64Array(), base: new Float64Array() });
    expect(none.predict(held.features)[0]).toBe(0);
  });
});
