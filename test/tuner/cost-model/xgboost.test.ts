import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { boostedTrees } from "../../../src/tuner/cost-model/boosted-trees.ts";
import { type CostModel, matrixOf, type TrainingSet } from "../../../src/tuner/cost-model/cost-model.ts";
import { loadXgboost } from "../../../src/tuner/cost-model/xgboost.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { r2, spearman } from "./statistics.ts";

// Debian: apt install libxgboost0.
const places = [process.env.XGBOOST_LIBRARY, "/usr/lib/x86_64-linux-gnu/libxgboost.so.0", "/usr/lib/libxgboost.so"];
const library = places.find((path) => path !== undefined && existsSync(path));

function data(rows: number, seed: number): TrainingSet {
  const rng = createRng(seed);
  const list = Array.from({ length: rows }, () => Array.from({ length: 8 }, rng.unit));
  const scores = Float64Array.from(list, (x) => Math.sin(x[0]! * 3) + x[1]! * x[2]!);
  return { features: matrixOf(list), scores, base: new Float64Array(rows) };
}

const training = data(800, 1);
const held = data(400, 2);

describe.skipIf(library === undefined)(`xgboost${library ? "" : " (skipped: no libxgboost found)"}`, () => {
  let model: CostModel;
  beforeAll(async () => {
    model = await loadXgboost(library!);
  });

  test("learns as well as the boosted trees of this package", () => {
    const [theirs, ours] = [model, boostedTrees()].map((one) => one.fit(training).predict(held.features));
    expect(r2(theirs!, held.scores)).toBeGreaterThan(0.95);
    expect(Math.abs(r2(theirs!, held.scores) - r2(ours!, held.scores))).toBeLessThan(0.03);
  });

  test("finds the same columns important", () => {
    const [theirs, ours] = [model.fit(training).importance, boostedTrees().fit(training).importance];
    expect(theirs.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
    for (let column = 0; column < 8; column++) expect(Math.abs(theirs[column]! - ours[column]!)).toBeLessThan(0.1);
  });

  test("orders by the rank objective, the same at each fit", async () => {
    const ranking = await loadXgboost(library!, { objective: "rank:pairwise" });
    const predictions = ranking.fit(training).predict(held.features);
    expect(spearman(predictions, held.scores)).toBeGreaterThan(0.9);
    expect(ranking.fit(training).predict(held.features)).toEqual(predictions);
  });

  test("adds to a base what it lacks", () => {
    const base = training.scores.map((score) => score + 3);
    for (const prediction of model.fit({ ...training, base }).predict(held.features))
      expect(prediction).toBeCloseTo(-3, 1);
  });

  test("says what the library says when it refuses", async () => {
    const wrong = await loadXgboost(library!, { maxDepth: -1 });
    expect(() => wrong.fit(training)).toThrow(/xgboost BoosterUpdateOneIter: .*max_depth/s);
  });
});
