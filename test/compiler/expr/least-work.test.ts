// The fewest operations of an operator, and the bytes that it cannot do without.

import { describe, expect, it } from "vitest";
import {
  authoring,
  type DType,
  instantiate,
  leastTraffic,
  leastWork,
  type Op,
  opLibrary,
} from "../../../src/compiler/index.ts";

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;
const define = (op: Op) => instantiate(op, {}, "kernel");

describe("the fewest operations", () => {
  it("of a product of matrices are its multiplications and as many additions", () => {
    const work = leastWork(define(opLibrary.gemm({ M: 4, N: 8, K: 16 })));
    expect(work).toEqual([{ dtype: "f32", multiply: 512, other: 512, dot: 0 }]);
  });

  it("of bytes and bf16 are dot products, whatever sums them", () => {
    const of = (dtype: DType) => leastWork(define(opLibrary.gemm({ M: 4, N: 8, K: 16, dtype })))[0];
    expect(of("i8")).toMatchObject({ dtype: "i8", dot: 512, other: 0 });
    expect(of("bf16")).toMatchObject({ dtype: "bf16", dot: 512, multiply: 0 });
  });

  it("leave out what an axis only repeats", () => {
    const op = defineOp({}, () => {
      const [A, B] = [tensor("A", [4, 16], "f32"), tensor("B", [16, 8], "f32")];
      const k = reduceAxis("k", 16);
      return compute("C", [4, 8], (i, j) => sum(A(i, k).mul(2).mul(B(k, j)), k));
    });
    // A · 2 is needed once for each element of A.
    expect(leastWork(define(op))).toEqual([{ dtype: "f32", multiply: 512 + 64, other: 512, dot: 0 }]);
  });

  it("leave out what constants alone decide", () => {
    const op = defineOp({}, () => {
      const [x, W] = [tensor("x", [8], "f32"), tensor("W", [8], "f32")];
      const scaled = compute("scaled", [8], (i) => W(i).mul(3));
      return compute("y", [8], (i) => x(i).add(scaled(i)));
    });
    const counted = (constants: readonly string[]) =>
      leastWork(define(op), constants).reduce((total, { multiply, other }) => total + multiply + other, 0);
    expect([counted([]), counted(["W"])]).toEqual([16, 8]);
  });
});

describe("the bytes that have to move", () => {
  it("are inputs and results, once", () => {
    expect(leastTraffic(define(opLibrary.gemm({ M: 4, N: 8, K: 16 })))).toEqual({
      read: 4 * (4 * 16 + 16 * 8),
      written: 4 * 4 * 8,
    });
  });

  it("are only what is touched: rows, or places that are in the data", () => {
    const op = defineOp({}, () => {
      const [table, at] = [tensor("table", [1000, 4], "f32"), tensor("at", [8], "i32")];
      return compute("y", [8, 4], (i, j) => table(at(i).max(0).min(999), j).add(table(i, j)));
    });
    expect(leastTraffic(define(op)).read).toBe(4 * 8 + 4 * 8 * 4);
  });
});
