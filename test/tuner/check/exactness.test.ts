// On which inputs an operator is computed without rounding, so that every candidate has to have the reference's bits.

import { expect, test } from "vitest";
import { authoring, opLibrary } from "../../../src/compiler/index.ts";
import { instantiate } from "../../../src/compiler/instance/instantiate.ts";
import { exactInputLimit } from "../../../src/tuner/check/exactness.ts";

const { cast, compute, defineOp, reduceAxis, sum, tensor } = authoring;
type Expr = authoring.Expr;

const limitOf = (op: Parameters<typeof instantiate>[0]): number | null => exactInputLimit([instantiate(op, {}, "op")]);

/** The f32 sum of squares of what is made of 300 pairs. */
const squares = (dtype: "u8" | "i8" | "bool", made: (x: Expr, y: Expr) => Expr) =>
  defineOp({}, () => {
    const [x, y, k] = [tensor("x", [300], dtype), tensor("y", [300], dtype), reduceAxis("k", 300)];
    return compute("z", [1], () => {
      const value = cast(made(x(k), y(k)), "f32");
      return sum(value.mul(value), k);
    });
  });

test("products of small integers are exact as long as their sum fits the significand", () => {
  expect(limitOf(opLibrary.gemm({ M: 4, N: 4, K: 512 }))).toBe(8);
  expect(limitOf(opLibrary.gemm({ M: 4, N: 4, K: 2 ** 20 }))).toBe(4);
  expect(limitOf(opLibrary.softmax({ M: 4, N: 4 }))).toBeNull();
});

test("what goes below 0 where there are no negative values is as large as the type's largest", () => {
  // 300 · 255² > 2²⁴
  expect(limitOf(squares("u8", (x, y) => x.add(y)))).toBe(8);
  expect(limitOf(squares("u8", (x, y) => x.sub(y)))).toBeNull();
  expect(limitOf(squares("u8", (x, y) => x.neg().add(y)))).toBeNull();
  expect(limitOf(squares("i8", (x, y) => x.sub(y)))).toBe(8);
  expect(limitOf(squares("i8", (x, y) => cast(x.sub(y), "u8")))).toBeNull();
  expect(limitOf(squares("bool", (x, y) => cast(x, "u8").add(cast(y, "u8"))))).toBe(8);
});
