// One analysis of index arithmetic serves the user's expressions and loop IR: its ranges contain every value, and its forms
// are the expression.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IndexForm, indexForm } from "../../../src/compiler/expr/linear-form.ts";
import type { ScalarExpr } from "../../../src/compiler/expr/scalar-expr.ts";
import { assume, isReachable, type Ranges, rangeOf, rangesOfAxes } from "../../../src/compiler/instance/index-range.ts";
import { fromAffine, toAffine } from "../../../src/compiler/ir/affine.ts";
import { boundsOf } from "../../../src/compiler/ir/bounds.ts";
import { assume as assumeIr } from "../../../src/compiler/ir/compare.ts";
import { exprKey } from "../../../src/compiler/ir/expr-key.ts";
import { rangesOf } from "../../../src/compiler/ir/ranges.ts";
import { axisOf, constant, inLoopIr, operation, pointsOf, randomAxes, randomIndex, valueAt } from "./random-index.ts";

type Point = Readonly<Record<string, number>>;
type Known = readonly (readonly [condition: ScalarExpr, holds: boolean])[];

const small = randomIndex(12);
/** Numbers with which sums and products leave i32. */
const large = randomIndex(2 ** 30);
const [i, j, k] = [axisOf("i"), axisOf("j"), axisOf("k")];

const assumeAll = (ranges: Ranges, known: Known): Ranges =>
  known.reduce((all, [condition, holds]) => assume(all, condition, holds), ranges);

const isAt = (point: Point, known: Known): boolean =>
  known.every(([condition, holds]) => valueAt(condition, point) === Number(holds));

describe.each([
  ["small numbers", small],
  ["numbers that leave i32", large],
])("the range of an expression, %s", (_, { index, sum, condition }) => {
  test("contains every value, where the conditions hold", () => {
    let [bounded, unreached] = [0, 0];
    const conditions = fc.array(fc.tuple(condition, fc.boolean()), { maxLength: 2 });
    fc.assert(
      fc.property(randomAxes, fc.oneof(index, sum), conditions, (axes, expr, known) => {
        const ranges = assumeAll(rangesOfAxes(axes), known);
        const points = pointsOf(axes).filter((point) => isAt(point, known));
        if (!isReachable(ranges)) {
          unreached++;
          expect(points).toEqual([]);
          return;
        }
        const { min, max } = rangeOf(expr, ranges);
        if (max - min < 2 ** 31) bounded++;
        for (const point of points) {
          const value = valueAt(expr, point);
          if (value === null) continue;
          expect(value).toBeGreaterThanOrEqual(min);
          expect(value).toBeLessThanOrEqual(max);
        }
      }),
      { numRuns: 400 },
    );
    expect(bounded).toBeGreaterThan(100);
    expect(unreached).toBeGreaterThan(3);
  });

  test("has the value of the expression as a form, where the numbers are exact", () => {
    fc.assert(
      fc.property(randomAxes, fc.oneof(index, sum), (axes, expr) => {
        const form = indexForm(expr);
        for (const point of pointsOf(axes).slice(-8)) {
          const value = valueAt(expr, point);
          const formValue = valueOfForm(form, point);
          if (value !== null && formValue !== null) expect(formValue).toBe(value);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Value of a form as i32 wraps it; null where it has none, or its numbers are too large. */
function valueOfForm({ terms, constant }: IndexForm, point: Point): number | null {
  let sum = BigInt.asIntN(32, Number.isSafeInteger(constant) ? BigInt(constant) : 0n);
  let isExact = Number.isSafeInteger(constant);
  for (const { atom, coefficient } of terms) {
    const value = valueAt(atom, point);
    if (value === null || !Number.isSafeInteger(coefficient)) isExact = false;
    else sum += BigInt(coefficient) * BigInt(value);
  }
  return isExact ? Number(BigInt.asIntN(32, sum)) : null;
}

describe("the two languages", () => {
  test("what loop IR knows of an index, expressions know too", () => {
    fc.assert(
      fc.property(
        randomAxes,
        fc.oneof(small.index, small.sum),
        fc.array(small.bound, { maxLength: 2 }),
        (axes, expr, bounds) => {
          const ranges = assumeAll(
            rangesOfAxes(axes),
            bounds.map((bound) => [bound, true]),
          );
          if (!isReachable(ranges)) return;
          const known = bounds.reduce((all, bound) => assumeIr(inLoopIr(bound), all), rangesOf(axes));
          const [own, loopIr] = [rangeOf(expr, ranges), boundsOf(inLoopIr(expr), known)];
          if (own.min > own.max) return;
          expect(own.min).toBeGreaterThanOrEqual(loopIr.min);
          expect(own.max).toBeLessThanOrEqual(loopIr.max);
        },
      ),
      { numRuns: 600 },
    );
  });

  test("both know that a quotient by 1 is its dividend", () => {
    const axes = [{ name: "i", extent: 2 }];
    const zero = operation("sub", operation("floorDiv", i, constant(1)), i);
    // Also inside of what is no sum.
    for (const expr of [zero, operation("max", zero, zero)]) {
      expect(rangeOf(expr, rangesOfAxes(axes))).toEqual({ min: 0, max: 0 });
      expect(boundsOf(inLoopIr(expr), rangesOf(axes))).toEqual({ min: 0, max: 0 });
    }
  });

  test("bounds of loop IR contain every value", () => {
    fc.assert(
      fc.property(randomAxes, small.sum, (axes, expr) => {
        const { min, max } = boundsOf(inLoopIr(expr), rangesOf(axes));
        const values = pointsOf(axes).map((point) => valueAt(expr, point) ?? 0);
        expect(Math.min(...values)).toBe(min);
        expect(Math.max(...values)).toBe(max);
      }),
      { numRuns: 200 },
    );
  });

  test("a form of loop IR is the expression, and the expression of a form has that form", () => {
    fc.assert(
      fc.property(large.index, (expr) => {
        const form = toAffine(inLoopIr(expr));
        expect(exprKey(fromAffine(toAffine(fromAffine(form))))).toBe(exprKey(fromAffine(form)));
      }),
      { numRuns: 300 },
    );
  });
});

describe("what conditions tell", () => {
  const axes = ["i", "j", "k"].map((name) => ({ name, extent: 10 }));
  const times = (a: ScalarExpr, n: number): ScalarExpr => operation("mul", a, constant(n));
  const plus = (a: ScalarExpr, b: ScalarExpr): ScalarExpr => operation("add", a, b);
  const minus = (a: ScalarExpr, b: ScalarExpr): ScalarExpr => operation("sub", a, b);
  const most = (a: ScalarExpr, n: number): ScalarExpr => operation("le", a, constant(n));
  const tile = plus(times(i, 16), j);

  test.each<readonly [string, ScalarExpr, ScalarExpr, number, number]>([
    ["a multiple of the sum", most(plus(i, j), 5), plus(times(i, 3), times(j, 3)), 0, 15],
    ["a sum with one term more", most(plus(i, j), 5), plus(plus(i, j), k), 0, 14],
    ["one of its terms", most(plus(i, j), 5), i, 0, 5],
    ["a difference", operation("le", j, i), minus(i, j), 0, 9],
    ["a tile without its rest", most(tile, 40), i, 0, 2],
    [
      "an atom that is no axis",
      operation("ge", operation("mod", i, constant(4)), constant(2)),
      plus(operation("mod", i, constant(4)), k),
      2,
      12,
    ],
    [
      "a clamped divisor",
      most(i, 9),
      operation("floorDiv", plus(times(i, 4), constant(8)), operation("max", j, constant(2))),
      0,
      22,
    ],
    ["two turns of a mod", operation("ge", i, constant(4)), operation("mod", i, constant(5)), 0, 4],
    ["one turn of a mod", operation("ge", i, constant(5)), operation("mod", i, constant(5)), 0, 4],
    ["part of a turn of a mod", operation("ge", i, constant(7)), operation("mod", i, constant(5)), 2, 4],
  ])("%s", (_, condition, expr, min, max) => {
    expect(rangeOf(expr, assume(rangesOfAxes(axes), condition, true))).toEqual({ min, max });
  });

  test("a sum whose numbers are too large to be exact proves nothing", () => {
    const huge = times(times(i, 2 ** 31 - 1), 2 ** 31 - 1);
    expect(rangeOf(minus(plus(huge, i), huge), rangesOfAxes(axes))).toEqual({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  });
});
