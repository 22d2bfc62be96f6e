// Products, rounded-up quotients and sums of ranges too large for a table: bounds lose no solution, and leave no room where there is none.

import { describe, expect, test } from "vitest";
import { DomainStore } from "../../../../src/tuner/constraint/domain-store.ts";
import { applyPair, type PairFunction } from "../../../../src/tuner/constraint/normal-form.ts";
import { pairBoundsPropagator } from "../../../../src/tuner/constraint/propagator/pair-bounds.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";

type Bounds = readonly [from: number, to: number];
type Box = readonly [a: Bounds, b: Bounds, result: Bounds];

/** The box after as many runs as change something; null: a domain became empty. */
function narrowed(fn: PairFunction, box: Box): Box | null {
  const store = new DomainStore(box.map(([from, to]) => ({ from, to })));
  const { run } = pairBoundsPropagator(store, { kind: "pair", function: fn, a: 0, b: 1, result: 2 });
  const bounds = (): Box => [0, 1, 2].map((id): Bounds => [store.min(id), store.max(id)]) as unknown as Box;
  for (let before = ""; before !== JSON.stringify(bounds()); ) {
    before = JSON.stringify(bounds());
    if (!run()) return null;
  }
  return bounds();
}

const isIn = (value: number, [from, to]: Bounds): boolean => value >= from && value <= to;

/** Every (a, b, result) of the box for which the relation holds. */
function solutions(fn: PairFunction, [a, b, result]: Box): (readonly [number, number, number])[] {
  const found: (readonly [number, number, number])[] = [];
  for (let x = a[0]; x <= a[1]; x++)
    for (let y = b[0]; y <= b[1]; y++) {
      const value = fn.kind === "ceil-div" && y === 0 ? Number.NaN : applyPair(fn, x, y);
      if (isIn(value, result)) found.push([x, y, value]);
    }
  return found;
}

const functions: readonly PairFunction[] = [
  { kind: "ceil-div" },
  { kind: "product", coefficient: 1 },
  { kind: "product", coefficient: 3 },
  { kind: "sum", aCoefficient: 2, bCoefficient: 1, offset: -3 },
];

describe.each(functions)("%o", (fn) => {
  test("no solution of 2000 random boxes is lost", () => {
    const rng = createRng(1);
    const bounds = (most: number): Bounds => {
      const from = rng.below(most);
      return [from, from + rng.below(most)];
    };
    let withSolutions = 0;
    for (let drawn = 0; drawn < 2000; drawn++) {
      const box: Box = [bounds(30), bounds(8), bounds(fn.kind === "ceil-div" ? 6 : 60)];
      const left = narrowed(fn, box);
      const all = solutions(fn, box);
      const lost = all.filter((solution) => !left || solution.some((value, at) => !isIn(value, left[at]!)));
      expect(lost, JSON.stringify(box)).toEqual([]);
      if (all.length > 0) withSolutions += 1;
    }
    expect(withSolutions).toBeGreaterThan(400);
  });
});

/** (result − 1) · b < a ≤ result · b. */
test.each([
  [
    "the largest divisor is one less where it divides",
    [
      [1, 1000],
      [1, 1000],
      [11, 20],
    ],
    [1, 99],
  ],
  [
    "and the whole quotient where it does not",
    [
      [1, 1005],
      [1, 1000],
      [11, 20],
    ],
    [1, 100],
  ],
  [
    "one part allows any divisor",
    [
      [1, 1000],
      [1, 5000],
      [1, 1],
    ],
    [1, 5000],
  ],
  [
    "the smallest divisor gives no more parts than there may be",
    [
      [900, 1000],
      [1, 5000],
      [1, 7],
    ],
    [129, 5000],
  ],
] as const)("divisors: %s", (_, box, divisors) => {
  expect(narrowed({ kind: "ceil-div" }, box)?.[1]).toEqual(divisors);
});
