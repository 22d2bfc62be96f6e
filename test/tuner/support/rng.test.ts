import { expect, test } from "vitest";
import { createRng } from "../../../src/tuner/support/rng.ts";

const take = (seed: number, count: number): number[] => {
  const rng = createRng(seed);
  return Array.from({ length: count }, () => rng.next());
};

test("the same seed gives the same numbers, for ever", () => {
  expect(take(1, 4)).toEqual(take(1, 4));
  expect(take(1, 100)).not.toEqual(take(2, 100));
});

test("neighbouring seeds share no numbers", () => {
  expect(new Set([0, 1, 2, 3].flatMap((seed) => take(seed, 1000))).size).toBeGreaterThan(3995);
});

test("below() is uniform", () => {
  const rng = createRng(5);
  const counts = new Array<number>(7).fill(0);
  for (let k = 0; k < 70_000; k++) counts[rng.below(7)]!++;
  // χ² with 6 degrees of freedom is below 22.5 in 999 of 1000 cases.
  expect(counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(22.5);
});

test("unit() stays in [0, 1)", () => {
  const rng = createRng(9);
  for (let k = 0; k < 10_000; k++) {
    const value = rng.unit();
    expect(value >= 0 && value < 1).toBe(true);
  }
});

test("shuffle() gives each order about as often", () => {
  const rng = createRng(11);
  const counts = new Map<string, number>();
  for (let k = 0; k < 6000; k++) {
    const order = rng.shuffle([1, 2, 3]).join("");
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
});

test("what is drawn from a fork does not move its parent", () => {
  const draw = (fromFork: number): number[] => {
    const rng = createRng(3);
    const fork = rng.fork();
    for (let k = 0; k < fromFork; k++) fork.next();
    return [rng.next(), rng.next()];
  };
  expect(draw(0)).toEqual(draw(10));
  expect(createRng(3).fork().next()).not.toBe(createRng(3).next());
});
