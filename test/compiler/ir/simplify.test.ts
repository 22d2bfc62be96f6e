import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromAffine, toAffine } from "../../../src/compiler/ir/affine.ts";
import { boundsOf } from "../../../src/compiler/ir/bounds.ts";
import {
  add,
  and,
  constInt,
  floorDiv,
  ge,
  lt,
  mod,
  mul,
  select,
  sub,
  variable,
} from "../../../src/compiler/ir/build.ts";
import { exprKey } from "../../../src/compiler/ir/expr-key.ts";
import type { Expr } from "../../../src/compiler/ir/loop-ir.ts";
import { rangesOf, withRange } from "../../../src/compiler/ir/ranges.ts";
import { simplifyExpr } from "../../../src/compiler/ir/simplify.ts";

const [i, j, k] = [variable("i"), variable("j"), variable("k")];
const int = constInt;
const loops = [
  { name: "i", extent: 6 },
  { name: "j", extent: 48 },
];
const ranges = withRange(rangesOf(loops), "k", -3, 7);

/** Value of an i32 or bool expression over variables. */
function evaluate(expr: Expr, at: Readonly<Record<string, number>>): number {
  if (expr.kind === "const") return expr.value;
  if (expr.kind === "var") return at[expr.name]!;
  if (expr.kind === "select") return evaluate(evaluate(expr.condition, at) ? expr.then : expr.else, at);
  if (expr.kind === "unary") return expr.op === "neg" ? -evaluate(expr.operand, at) : 1 - evaluate(expr.operand, at);
  if (expr.kind !== "binary") throw new Error(`no ${expr.kind} here`);
  const a = evaluate(expr.left, at);
  const b = evaluate(expr.right, at);
  const results: Readonly<Record<string, () => number>> = {
    add: () => a + b,
    sub: () => a - b,
    mul: () => a * b,
    floorDiv: () => Math.floor(a / b),
    mod: () => a - b * Math.floor(a / b),
    min: () => Math.min(a, b),
    max: () => Math.max(a, b),
    lt: () => Number(a < b),
    le: () => Number(a <= b),
    gt: () => Number(a > b),
    ge: () => Number(a >= b),
    eq: () => Number(a === b),
    ne: () => Number(a !== b),
    and: () => a & b,
    or: () => a | b,
  };
  return results[expr.op]!();
}

const binaryOf = (op: Extract<Expr, { kind: "binary" }>["op"], left: Expr, right: Expr): Expr => ({
  kind: "binary",
  dtype: ["lt", "le", "gt", "ge", "eq", "ne", "and", "or"].includes(op) ? "bool" : "i32",
  op,
  left,
  right,
});

const { index, condition } = fc.letrec<{ index: Expr; condition: Expr }>((tie) => ({
  index: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<Expr>(i, j, k),
    fc.integer({ min: -50, max: 50 }).map(int),
    fc
      .tuple(fc.constantFrom("add", "sub", "min", "max"), tie("index"), tie("index"))
      .map(([op, a, b]) => binaryOf(op as "add", a, b)),
    fc.tuple(tie("index"), fc.integer({ min: -16, max: 48 })).map(([a, n]) => binaryOf("mul", a, int(n))),
    fc
      .tuple(fc.constantFrom("floorDiv", "mod"), tie("index"), fc.constantFrom(1, 2, 3, 4, 6, 8, 16, 48))
      .map(([op, a, n]) => binaryOf(op as "mod", a, int(n))),
    fc.tuple(tie("condition"), tie("index"), tie("index")).map(([c, a, b]) => select(c, a, b)),
  ),
  condition: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc
      .tuple(fc.constantFrom("lt", "le", "gt", "ge", "eq", "ne"), tie("index"), tie("index"))
      .map(([op, a, b]) => binaryOf(op as "lt", a, b)),
    fc
      .tuple(fc.constantFrom("and", "or"), tie("condition"), tie("condition"))
      .map(([op, a, b]) => binaryOf(op as "and", a, b)),
  ),
}));

const point = fc.record({
  i: fc.integer({ min: 0, max: 5 }),
  j: fc.integer({ min: 0, max: 47 }),
  k: fc.integer({ min: -3, max: 7 }),
});

describe("affine", () => {
  test("equal sums have one form", () => {
    const written = add(mul(add(mul(i, int(4)), j), int(8)), sub(int(3), j));
    expect(exprKey(fromAffine(toAffine(written)))).toBe(exprKey(add(add(mul(i, int(32)), mul(j, int(7))), int(3))));
  });

  test("what cancels is gone", () => expect(fromAffine(toAffine(sub(add(i, j), add(j, i))))).toEqual(int(0)));
});

describe("simplify", () => {
  const becomes = (expr: Expr, wanted: Expr) => expect(exprKey(simplifyExpr(expr, ranges))).toBe(exprKey(wanted));

  test("a tile's number and place", () => {
    const index = add(mul(i, int(48)), j);
    becomes(floorDiv(index, int(48)), i);
    becomes(mod(index, int(48)), j);
    becomes(floorDiv(index, int(96)), floorDiv(i, int(2)));
    becomes(mod(index, int(96)), add(mul(mod(i, int(2)), int(48)), j));
  });

  test("a division and its rest join", () => {
    const index = add(mul(i, int(7)), j);
    becomes(add(mul(floorDiv(index, int(12)), int(12)), mod(index, int(12))), index);
  });

  test("nested divisions join", () => becomes(floorDiv(floorDiv(j, int(3)), int(4)), floorDiv(j, int(12))));

  test("conditions that bounds decide", () => {
    becomes(lt(j, int(48)), { kind: "const", dtype: "bool", value: 1 });
    becomes(and(ge(k, int(-3)), lt(i, int(3))), lt(i, int(3)));
  });

  test("a condition on a tile loses what lies inside the tile", () =>
    becomes(lt(add(mul(i, int(48)), j), int(144)), lt(i, int(3))));

  test("inside a select its condition holds", () =>
    becomes(select(lt(j, int(8)), floorDiv(j, int(8)), int(1)), select(lt(j, int(8)), int(0), int(1))));

  test("the value stays what it was", () => {
    fc.assert(
      fc.property(index, point, (expr, at) => {
        expect(evaluate(simplifyExpr(expr, ranges), at) + 0).toBe(evaluate(expr, at) + 0);
      }),
      { numRuns: 3000 },
    );
  });

  test("a condition stays what it was", () => {
    fc.assert(
      fc.property(condition, point, (expr, at) => {
        expect(evaluate(simplifyExpr(expr, ranges), at) + 0).toBe(evaluate(expr, at) + 0);
      }),
      { numRuns: 3000 },
    );
  });

  test("simplifying twice changes nothing more", () => {
    fc.assert(
      fc.property(index, (expr) => {
        const once = simplifyExpr(expr, ranges);
        expect(exprKey(simplifyExpr(once, ranges))).toBe(exprKey(once));
      }),
    );
  });
});

describe("bounds", () => {
  test("every value lies within them", () => {
    fc.assert(
      fc.property(index, point, (expr, at) => {
        const { min, max } = boundsOf(expr, ranges);
        const value = evaluate(expr, at);
        expect(value >= min && value <= max).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("exact for a sum of distinct variables", () =>
    expect(boundsOf(add(mul(i, int(48)), sub(j, k)), ranges)).toEqual({ min: -7, max: 290 }));
});
