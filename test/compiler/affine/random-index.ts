// Random index expressions and conditions over axes of random extents, as nodes of the user's language and, node by node, of
// loop IR.

import fc from "fast-check";
import type { Axis, BinaryOp, ScalarExpr } from "../../../src/compiler/expr/scalar-expr.ts";
import { applyBinary, applyUnary, castValue } from "../../../src/compiler/expr/scalar-math.ts";
import { binary, cast, constInt, select, unary, variable } from "../../../src/compiler/ir/build.ts";
import type { Expr } from "../../../src/compiler/ir/loop-ir.ts";

const loc = null;
const names = ["i", "j", "k"] as const;
export const axisOf = (name: string): ScalarExpr => ({ kind: "axis", dtype: "i32", name, loc });
export const constant = (value: number): ScalarExpr => ({ kind: "const", dtype: "i32", value, loc });
const comparisons: readonly BinaryOp[] = ["lt", "le", "gt", "ge", "eq", "ne"];

export const operation = (op: BinaryOp, left: ScalarExpr, right: ScalarExpr): ScalarExpr => ({
  kind: "binary",
  dtype: comparisons.includes(op) || op === "and" || op === "or" ? "bool" : "i32",
  op,
  left,
  right,
  loc,
});

const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Expressions with numbers up to `size`: with a small one nothing leaves i32. */
export function randomIndex(size: number) {
  const number = fc.integer({ min: -size, max: size });
  return fc.letrec<{ index: ScalarExpr; condition: ScalarExpr; sum: ScalarExpr; bound: ScalarExpr }>((tie) => {
    const [index, condition, sum] = [tie("index"), tie("condition"), tie("sum")];
    const axis = pick<string>(...names).map(axisOf);
    const positive = fc.integer({ min: 1, max: 16 }).map(constant);
    return {
      index: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        axis,
        number.map(constant),
        fc.tuple(pick<BinaryOp>("add", "sub", "min", "max"), index, index).map(([op, a, b]) => operation(op, a, b)),
        fc.tuple(index, number).map(([a, n]) => operation("mul", a, constant(n))),
        fc.tuple(index, index).map(([a, b]) => operation("mul", a, b)),
        index.map((operand): ScalarExpr => ({ kind: "unary", dtype: "i32", op: "neg", operand, loc })),
        fc
          .tuple(
            pick<BinaryOp>("floorDiv", "mod"),
            index,
            fc.oneof(
              positive,
              axis.map((a) => operation("add", a, constant(1))),
            ),
          )
          .map(([op, a, b]) => operation(op, a, b)),
        fc
          .tuple(condition, index, index)
          .map(([condition, a, b]): ScalarExpr => ({ kind: "select", dtype: "i32", condition, then: a, else: b, loc })),
        index.map((operand): ScalarExpr => {
          const narrow: ScalarExpr = { kind: "cast", dtype: "i8", operand, loc };
          return { kind: "cast", dtype: "i32", operand: narrow, loc };
        }),
      ),
      condition: fc.oneof(
        { maxDepth: 2, depthSize: "small" },
        fc.tuple(pick(...comparisons), index, index).map(([op, a, b]) => operation(op, a, b)),
        fc.tuple(pick(...comparisons), sum, sum).map(([op, a, b]) => operation(op, a, b)),
        fc.tuple(pick<BinaryOp>("and", "or"), condition, condition).map(([op, a, b]) => operation(op, a, b)),
        condition.map((operand): ScalarExpr => ({ kind: "unary", dtype: "bool", op: "not", operand, loc })),
      ),
      sum: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        axis,
        number.map(constant),
        fc.tuple(pick<BinaryOp>("add", "sub"), sum, sum).map(([op, a, b]) => operation(op, a, b)),
        fc.tuple(sum, number).map(([a, n]) => operation("mul", a, constant(n))),
      ),
      // The form in which loop IR keeps what a condition tells: a sum without a constant against a number.
      bound: fc
        .tuple(
          fc.uniqueArray(pick<string>(...names), { minLength: 1 }),
          fc.array(number, { minLength: 3, maxLength: 3 }),
          pick<BinaryOp>("lt", "ge", "eq"),
          fc.integer({ min: -4 * size, max: 12 * size }),
        )
        .map(([some, factors, op, limit]) => {
          const terms = some.map((name, at) => operation("mul", axisOf(name), constant(factors[at]!)));
          return operation(
            op,
            terms.reduce((a, b) => operation("add", a, b)),
            constant(limit),
          );
        }),
    };
  });
}

export const randomAxes: fc.Arbitrary<readonly Axis[]> = fc
  .tuple(...names.map(() => fc.integer({ min: 1, max: 9 })))
  .map((extents) => names.map((name, at) => ({ name, extent: extents[at]! })));

/** All points of the axes. */
export const pointsOf = (axes: readonly Axis[]): readonly Readonly<Record<string, number>>[] =>
  axes.reduce<readonly Readonly<Record<string, number>>[]>(
    (points, { name, extent }) =>
      points.flatMap((point) => Array.from({ length: extent }, (_, value) => ({ ...point, [name]: value }))),
    [{}],
  );

/** Value of an expression at a point, as the language defines it: integers wrap. Null: it divides by what is not positive. */
export function valueAt(expr: ScalarExpr, point: Readonly<Record<string, number>>): number | null {
  const of = (operand: ScalarExpr): number | null => valueAt(operand, point);
  switch (expr.kind) {
    case "const":
      return expr.value;
    case "axis":
      return point[expr.name] ?? null;
    case "read":
      return null;
    case "unary": {
      const x = of(expr.operand);
      return x === null ? null : applyUnary(expr.op, expr.dtype, x);
    }
    case "cast": {
      const x = of(expr.operand);
      return x === null ? null : castValue(x, expr.operand.dtype, expr.dtype);
    }
    case "select": {
      const condition = of(expr.condition);
      return condition === null ? null : of(condition !== 0 ? expr.then : expr.else);
    }
    case "binary": {
      const [a, b] = [of(expr.left), of(expr.right)];
      if (a === null || b === null || ((expr.op === "floorDiv" || expr.op === "mod") && b <= 0)) return null;
      return applyBinary(expr.op, expr.left.dtype, a, b);
    }
  }
}

/** The same expression of loop IR, node by node. */
export function inLoopIr(expr: ScalarExpr): Expr {
  switch (expr.kind) {
    case "const":
      return constInt(expr.value);
    case "axis":
      return variable(expr.name);
    case "read":
      throw new Error("no reads are drawn");
    case "unary":
      return unary(expr.op, inLoopIr(expr.operand));
    case "cast":
      return cast(expr.dtype, inLoopIr(expr.operand));
    case "select":
      return select(inLoopIr(expr.condition), inLoopIr(expr.then), inLoopIr(expr.else));
    case "binary":
      return binary(expr.op, inLoopIr(expr.left), inLoopIr(expr.right));
  }
}
