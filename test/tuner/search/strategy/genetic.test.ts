import { expect, test } from "vitest";
import { check } from "../../../../src/tuner/constraint/check.ts";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import { searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { startSearch } from "../../../../src/tuner/search/state/search-state.ts";
import { breedUnconstrained, geneticParameters } from "../../../../src/tuner/search/strategy/genetic.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { search, space } from "../synthetic-task.ts";

const { generations, childrenPerGeneration, population } = geneticParameters.size;

test.each([1, 2, 3])("most children violate a constraint and are thrown away, seed %i", (seed) => {
  const { points, bred, rejected } = breedUnconstrained(
    startSearch(searchSpace(space), boostedTrees()),
    createRng(seed),
  );
  expect(bred).toBe(generations * childrenPerGeneration);
  expect(rejected / bred).toBeGreaterThan(0.5);
  expect(rejected).toBeLessThan(bred);
  expect(points.length).toBeLessThanOrEqual(population + bred - rejected);
  for (const { point } of points) expect(check(point.template.template.model, point.assignment)).toEqual([]);
});

test("with what was measured its children stay valid", () => {
  const state = search({ strategy: "genetic", seed: 4, rounds: 3, batch: 12 });
  const { points } = breedUnconstrained(state, createRng(4));
  for (const { point } of points) {
    expect(check(point.template.template.model, point.assignment)).toEqual([]);
    expect(state.seen.has(point.key)).toBe(false);
  }
});
