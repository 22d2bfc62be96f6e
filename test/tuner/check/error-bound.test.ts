// The bound of an expression: what each kind of node adds to the errors of its operands.

import { expect, test } from "vitest";
import { authoring, instantiate } from "../../../src/compiler/index.ts";
import { functionError, ulp, worstRelativeError } from "../../../src/tuner/check/error-bound.ts";

const { compute, defineOp, select, tensor } = authoring;
type Expr = ReturnType<ReturnType<typeof tensor>>;

/** Returns the bound in ulp for an expression of elements of two tensors. */
function ulpsOf(make: (a: Expr, b: Expr) => Expr): number {
  const op = defineOp({}, () => {
    const [A, B] = [tensor("A", [8], "f32"), tensor("B", [8], "f32")];
    return compute("C", [8], (i) => make(A(i), B(i)));
  });
  return worstRelativeError(instantiate(op, {}, "op"), new Map()) / ulp.f32;
}

const exp = functionError.exp.own;

test.each<[string, (a: Expr, b: Expr) => Expr, number]>([
  ["the smaller of two elements", (a, b) => a.min(b), 0],
  ["a product", (a, b) => a.mul(b), 1],
  ["a product of a sum", (a, b) => a.add(b).mul(b), 2],
  ["a function", (a, b) => a.exp().min(b), exp],
  ["the larger of two", (a, b) => a.exp().max(a.mul(b)), exp],
  ["a choice, its first side the worse", (a, b) => select(a.lt(b), a.exp(), b), exp],
  ["a choice, its second side the worse", (a, b) => select(a.lt(b), b, a.exp()), exp],
  ["a choice in a product", (a, b) => select(a.lt(b), b, a.add(b)).mul(a), 2],
])("%s", (_, make, ulps) => {
  expect(ulpsOf(make)).toBe(ulps);
});
