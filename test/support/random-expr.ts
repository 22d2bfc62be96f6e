// Random expressions as plain recipes, and what they make in the language. Integer recipes serve as indices.

import fc from "fast-check";
import * as authoring from "../../src/compiler/expr/authoring.ts";

type Expr = authoring.Expr;

/** A recipe is applied to the axes of a compute and the tensors it may read. */
export type Recipe = (axes: readonly Expr[], read: (index: Expr) => Expr) => Expr;

const apply =
  (op: (a: Expr, b: Expr) => Expr) =>
  ([a, b]: readonly Recipe[]): Recipe =>
  (axes, read) =>
    op(a!(axes, read), b!(axes, read));

const choose =
  (compare: (a: Expr, b: Expr) => authoring.Expr<"bool">) =>
  ([a, b, c, d]: readonly Recipe[]): Recipe =>
  (axes, read) =>
    authoring.select(compare(a!(axes, read), b!(axes, read)), c!(axes, read), d!(axes, read));

const comparisons = [authoring.lt, authoring.le, authoring.gt, authoring.ge, authoring.eq, authoring.ne] as const;
const one = fc.constantFrom;

/** i32 arithmetic on `axisCount` axes, with small constants, divisions by positive ones, and selects. */
export function integerRecipe(axisCount: number): fc.Arbitrary<Recipe> {
  const axis = fc.nat(axisCount - 1).map(
    (n): Recipe =>
      (axes) =>
        axes[n]!,
  );
  const number = fc.integer({ min: -4, max: 9 }).map(
    (n): Recipe =>
      () =>
        authoring.cast(n, "i32"),
  );
  return fc.letrec<{ expr: Recipe }>((tie) => {
    const expr = tie("expr");
    const pair = fc.tuple(expr, expr);
    return {
      expr: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        axis,
        number,
        pair.chain((operands) =>
          one(authoring.add, authoring.sub, authoring.min, authoring.max).map((op) => apply(op as never)(operands)),
        ),
        fc.tuple(expr, fc.integer({ min: -3, max: 3 })).map(
          ([a, n]): Recipe =>
            (axes, read) =>
              a(axes, read).mul(n),
        ),
        fc.tuple(expr, fc.integer({ min: 1, max: 5 }), fc.boolean()).map(
          ([a, n, remainder]): Recipe =>
            (axes, read) =>
              remainder ? a(axes, read).mod(n) : a(axes, read).floorDiv(n),
        ),
        fc.tuple(one(...comparisons), fc.tuple(expr, expr, expr, expr)).map(([op, four]) => choose(op)(four)),
      ),
    };
  }).expr;
}

/** f32 arithmetic on reads with index `axes[0]`, constants and functions. */
export function floatRecipe(): fc.Arbitrary<Recipe> {
  const value: fc.Arbitrary<Recipe> = fc.constant((axes, read) => read(axes[0]!));
  const number = fc.float({ noNaN: true, min: -8, max: 8 }).map(
    (n): Recipe =>
      () =>
        authoring.cast(n, "f32"),
  );
  const { add, sub, mul, div, min, max, pow, neg, abs, exp, sqrt, tanh, floor, erf } = authoring;
  return fc.letrec<{ expr: Recipe }>((tie) => {
    const expr = tie("expr");
    return {
      expr: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        value,
        number,
        fc.tuple(one(add, sub, mul, div, min, max, pow), expr, expr).map(([op, a, b]) => apply(op as never)([a, b])),
        fc.tuple(one(neg, abs, exp, sqrt, tanh, floor, erf), expr).map(
          ([op, a]): Recipe =>
            (axes, read) =>
              op(a(axes, read)),
        ),
        fc.tuple(one(...comparisons), fc.tuple(expr, expr, expr, expr)).map(([op, four]) => choose(op)(four)),
      ),
    };
  }).expr;
}
