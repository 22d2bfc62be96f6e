// Evenness of a first population: the share of each value of each key variable among look-ahead draws, against its
// share among all solutions, which are enumerated.

import { describe, expect, test } from "vitest";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { enumerate } from "../../../../src/tuner/constraint/solver/enumerate.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { gemmModel } from "../gemm-space.ts";

const draws = 2000;
/** Allowed distance from the uniform distribution over solutions, as the mean over keys. */
const bar = 0.05;

const spaces = [
  { m: 192, n: 192, k: 96, registers: 24, l2Bytes: 2 ** 16 },
  { m: 240, n: 192, k: 192, registers: 14, l2Bytes: 2 ** 15 },
  { m: 256, n: 512, k: 360, registers: 30, l2Bytes: 2 ** 18 },
] as const;

type Shares = ReadonlyMap<string, ReadonlyMap<number, number>>;

describe("shares of values of a look-ahead population", () => {
  test.each(spaces)("are those of all solutions of m %$", (space) => {
    const compiled = compileModel(gemmModel(space));
    const names = compiled.model.variables.flatMap(({ name, key }) => (key ? [name] : []));
    const all = sharesOf(names, enumerate(compiled));
    expect(all.count).toBeGreaterThanOrEqual(100_000);
    const population = sharesOf(names, drawn(space));
    expect(population.count).toBe(draws);
    const distances = names.map((name) => totalVariation(all.shares.get(name)!, population.shares.get(name)!));
    const noise = mean(names.map((name) => noiseFloor(all.shares.get(name)!)));
    // Half of what is allowed is what a perfect sample of this size shows.
    expect(noise).toBeLessThan(0.03);
    expect(mean(distances)).toBeLessThanOrEqual(bar);
  });
});

function* drawn(space: (typeof spaces)[number]) {
  const compiled = compileModel(gemmModel(space));
  const rng = createRng(1);
  for (let k = 0; k < draws; k++) {
    const result = sample(compiled, rng, { spread: "look-ahead" });
    if (result.kind !== "found") throw new Error(result.kind);
    yield result.assignment;
  }
}

function sharesOf(names: readonly string[], assignments: Iterable<Readonly<Record<string, number>>>) {
  const counts = new Map(names.map((name) => [name, new Map<number, number>()]));
  let count = 0;
  for (const assignment of assignments) {
    count++;
    for (const [name, of] of counts) of.set(assignment[name]!, (of.get(assignment[name]!) ?? 0) + 1);
  }
  for (const of of counts.values()) for (const [value, times] of of) of.set(value, times / count);
  return { count, shares: counts as Shares };
}

/** Half the summed differences: 0 is the same distribution, 1 are disjoint ones. */
function totalVariation(left: ReadonlyMap<number, number>, right: ReadonlyMap<number, number>): number {
  const values = new Set([...left.keys(), ...right.keys()]);
  return [...values].reduce((sum, value) => sum + Math.abs((left.get(value) ?? 0) - (right.get(value) ?? 0)) / 2, 0);
}

/** The distance that is to be expected of a perfect sample: Σ √(p (1 − p) / 2πn). */
const noiseFloor = (shares: ReadonlyMap<number, number>): number =>
  [...shares.values()].reduce((sum, share) => sum + Math.sqrt((share * (1 - share)) / (2 * Math.PI * draws)), 0);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
