// The bounds check: what it passes never leaves a tensor, and it passes the idioms that people write.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compute,
  defineOp,
  type Expr,
  max,
  min,
  reduceAxis,
  select,
  sum,
  tensor,
} from "../../../src/compiler/expr/authoring.ts";
import { type ComputeDef, DiagnosticError, evaluate, instantiate } from "../../../src/compiler/index.ts";
import { integerRecipe, type Recipe } from "../../support/random-expr.ts";

const [I, J, size] = [5, 3, 8];

/** B[i, j] = A[index(i, j)] on the side of a random guard that holds, or the other one. */
function guardedRead(index: Recipe, [left, right]: readonly Recipe[], whenTrue: boolean): ComputeDef | null {
  const op = defineOp({}, () => {
    const A = tensor("A", [size], "f32");
    return compute("B", [I, J], (i, j) => {
      const of = (recipe: Recipe): Expr => recipe([i, j], () => i);
      const condition = of(left!).le(of(right!));
      return whenTrue ? select(condition, A(of(index)), 0) : select(condition, 0, A(of(index)));
    });
  });
  try {
    return instantiate(op, {}, "op");
  } catch (error) {
    if (error instanceof DiagnosticError && error.diagnostic.code === "expr.out-of-bounds") return null;
    throw error;
  }
}

describe("the bounds check", () => {
  test("what it passes stays inside, whatever the index and the guard", () => {
    const recipe = integerRecipe(2);
    let passed = 0;
    let refused = 0;
    fc.assert(
      fc.property(recipe, fc.tuple(recipe, recipe), fc.boolean(), (index, guard, whenTrue) => {
        const def = guardedRead(index, guard, whenTrue);
        if (!def) return void refused++;
        passed++;
        evaluate(def, { A: new Float32Array(size) }); // an invariant fails where a read leaves A
        return undefined;
      }),
      { numRuns: 600, endOnFailure: true },
    );
    expect(passed).toBeGreaterThan(60);
    expect(refused).toBeGreaterThan(60);
  });

  const n = 10;
  const idioms: Readonly<Record<string, (A: (index: Expr) => Expr, i: Expr, k: Expr) => Expr>> = {
    "a shifted read behind a guard on the axis": (A, i) => select(i.ge(1).and(i.lt(n)), A(i.sub(1)), 0),
    "a guard on the index itself": (A, i, k) =>
      select(i.add(k).sub(2).ge(0).and(i.add(k).sub(2).lt(n)), A(i.add(k).sub(2)), 0),
    "a guard written the other way round": (A, i) => select(i.lt(1).or(i.gt(n)), 0, A(i.sub(1))),
    "a guard under not": (A, i) => select(i.lt(1).not(), A(i.sub(1)), 0),
    "a triangle": (A, i, k) => select(k.le(i), A(i.sub(k)), 0),
    "a clamp": (A, i, k) => A(max(0, min(i.add(k).sub(3), n - 1))),
    "a tile and its rest": (A, i) =>
      A(
        i
          .floorDiv(4)
          .mul(4)
          .add(i.mod(4))
          .min(n - 1),
      ),
    "a ring": (A, i, k) => A(i.add(k).mod(n)),
    "every other element": (A, i) => select(i.mod(2).eq(0), A(i.floorDiv(2)), 0),
    "a transposed convolution": (A, i, k) => {
      const top = i.add(1).sub(k);
      return select(top.ge(0).and(top.mod(2).eq(0)), A(top.floorDiv(2)), 0);
    },
    "a select as the index": (A, i) => A(select(i.gt(0), i.sub(1), n - 1)),
    "a side that is never taken": (A, i) => select(i.ge(0), A(i), A(i.add(100))),
    "a gather behind a clamp": (A, i) => A(max(min(A(i).cast("i32"), n - 1), 0)),
  };

  test.each(Object.entries(idioms))("passes %s", (_, element) => {
    const op = defineOp({}, () => {
      const A = tensor("A", [n], "f32");
      const k = reduceAxis("k", 3);
      return compute("B", [n], (i) => sum(element(A, i, k), k));
    });
    const A = Float32Array.from({ length: n }, (_value, at) => at);
    expect(evaluate(instantiate(op, {}, "op"), { A }).B).toHaveLength(n);
  });

  test("index arithmetic that would wrap proves nothing", () => {
    const op = defineOp({}, () => {
      const A = tensor("A", [n], "f32");
      return compute("B", [n], (i) => select(i.mul(2 ** 30).ge(0), A(i.mul(2 ** 30)), 0));
    });
    expect(() => instantiate(op, {}, "op")).toThrow("index 0 of A can be -2147483648 to 2147483647");
  });
});
