// The canonical text: what it looks like, that it is deterministic, and that different computations have different texts.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import conv2d from "../../../fixtures/ops/conv2d.op.ts";
import geluBf16 from "../../../fixtures/ops/gelu-bf16.op.ts";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import gemmInt8 from "../../../fixtures/ops/gemm-int8.op.ts";
import softmax from "../../../fixtures/ops/softmax.op.ts";
import statistics from "../../../fixtures/ops/statistics.op.ts";
import { cast, compute, defineOp, type Expr, tensor } from "../../../src/compiler/expr/authoring.ts";
import { type ComputeDef, digestOf, evaluate, instantiate, printComputeDef } from "../../../src/compiler/index.ts";
import { floatRecipe, type Recipe } from "../../support/random-expr.ts";

const print = (op: Parameters<typeof instantiate>[0], overrides = {}): string =>
  printComputeDef(instantiate(op, overrides, "op"));

describe("printComputeDef", () => {
  test("gemm", () => {
    expect(print(gemm, { M: 61, N: 83, K: 97 })).toMatchInlineSnapshot(`
      "op(A: f32[61, 97], B: f32[97, 83]) -> C
      C[i, j] = sum(A[i, k] * B[k, j], k)  f32  i 61, j 83, k 97
      "
    `);
  });
  test("conv2d", () => {
    expect(print(conv2d)).toMatchInlineSnapshot(`
      "op(image: f32[56, 56, 64], filter: f32[3, 3, 64, 64]) -> out
      out[y, x, f] = sum(select(y + ry - 1 >= 0 && y + ry - 1 < 56 && x + rx - 1 >= 0 && x + rx - 1 < 56, image[y + ry - 1, x + rx - 1, rc], 0.0) * filter[ry, rx, rc, f], [ry, rx, rc])  f32  y 56, x 56, f 64, ry 3, rx 3, rc 64
      "
    `);
  });
  test("softmax: each reduction is a stage over the axes that it depends on", () => {
    expect(print(softmax)).toMatchInlineSnapshot(`
      "op(X: f32[128, 256]) -> Y
      Y.max[i] = max(X[i, k], k)  f32  i 128, k 256
      Y.sum[i] = sum(exp(X[i, k] - Y.max[i]), k)  f32  i 128, k 256
      Y[i, j] = exp(X[i, j] - Y.max[i]) / Y.sum[i]  f32  i 128, j 256
      "
    `);
  });
  test("gemm-exp-gemm", () => {
    expect(print(gemmExpGemm)).toMatchInlineSnapshot(`
      "op(A: f32[128, 64], B: f32[64, 128], E: f32[128, 64]) -> F
      C[i, j] = sum(A[i, k] * B[k, j], k)  f32  i 128, j 128, k 64
      D[i, j] = exp(C[i, j])  f32  i 128, j 128
      F[i, l] = sum(D[i, n] * E[n, l], n)  f32  i 128, l 64, n 128
      "
    `);
  });
  test("int8 gemm: casts are written", () => {
    expect(print(gemmInt8)).toMatchInlineSnapshot(`
      "op(A: u8[64, 128], B: i8[128, 64]) -> C
      C[i, j] = sum(i32(A[i, k]) * i32(B[k, j]), k)  i32  i 64, j 64, k 128
      "
    `);
  });
  test("several results, argmax", () => {
    expect(print(statistics)).toMatchInlineSnapshot(`
      "op(X: f32[32, 100]) -> mean, variance, largest
      mean.sum[i] = sum(X[i, k], k)  f32  i 32, k 100
      mean[i] = mean.sum[i] / 100.0  f32  i 32
      variance.sum[i] = sum((X[i, k] - mean[i]) * (X[i, k] - mean[i]), k)  f32  i 32, k 100
      variance[i] = variance.sum[i] / 100.0  f32  i 32
      largest.argmax.max[i] = max(X[i, k], k)  f32  i 32, k 100
      largest[i] = min(select(X[i, k] == largest.argmax.max[i], k, 99), k)  i32  i 32, k 100
      "
    `);
  });
  test("bf16 is read as f32", () => {
    expect(print(geluBf16)).toMatchInlineSnapshot(`
      "op(x: bf16[1000]) -> y
      y[i] = bf16(f32(x[i]) * 0.5 * (erf(f32(x[i]) * 0.70710677) + 1.0))  bf16  i 1000
      "
    `);
  });
});

/** B[i] = element, as text. */
function element(of: (i: Expr, A: (i: Expr) => Expr) => Expr): string {
  const def = instantiate(
    mapOp((i, A) => of(i, A)),
    {},
    "op",
  );
  return printComputeDef(def).split("\n")[1]!;
}

function mapOp(of: (i: Expr, A: (i: Expr) => Expr) => Expr) {
  return defineOp({}, () => {
    const A = tensor("A", [4], "f32");
    return compute("B", [4], (i) => of(i, (at) => A(at)).add(A(i)));
  });
}

describe("the text of an expression", () => {
  test.each<readonly [string, (i: Expr, A: (i: Expr) => Expr) => Expr]>([
    ["A[i] - A[i] - 1.0", (i, A) => A(i).sub(A(i)).sub(1)],
    ["A[i] - (A[i] - 1.0)", (i, A) => A(i).sub(A(i).sub(1))],
    ["(A[i] + 1.0) * -2.0", (i, A) => A(i).add(1).mul(-2)],
    ["-(A[i] * 2.0)", (i, A) => A(i).mul(2).neg()],
    ["-A[i] * 2.0", (i, A) => A(i).neg().mul(2)],
    ["A[i] * -(2.0)", (i, A) => A(i).mul(cast(2, "f32").neg())],
    ["A[i] * 0.1", (i, A) => A(i).mul(0.1)],
    ["A[i] * 1e-7", (i, A) => A(i).mul(1e-7)],
    ["A[i] * -0.0", (i, A) => A(i).mul(-0)],
    ["max(A[i], -f32.inf)", (i, A) => A(i).max(Number.NEGATIVE_INFINITY)],
    ["A[i] + f32.nan", (i, A) => A(i).add(Number.NaN)],
    ["f32(f64(A[i]) * 0.1f64)", (i, A) => A(i).cast("f64").mul(0.1).cast("f32")],
    ["f32(i8(i) + 3i8)", (i) => i.cast("i8").add(3).cast("f32")],
    ["f32(f16(A[i]))", (i, A) => A(i).cast("f16").cast("f32")],
    [
      "select(i < 2 && !(i == 1) || i >= 3, A[i], 0.0)",
      (i, A) => i.lt(2).and(i.eq(1).not()).or(i.ge(3)).select(A(i), 0),
    ],
    ["A[mod(floorDiv(i, 2) + 1, 4)]", (i, A) => A(i.floorDiv(2).add(1).mod(4))],
    ["select(bool(i), 1.0, rsqrt(A[i]))", (i, A) => i.cast("bool").select(cast(1, "f32"), A(i).rsqrt())],
  ])("%s", (text, of) => {
    expect(element(of)).toBe(`B[i] = ${text} + A[i]  f32  i 4`);
  });
});

const build = (recipe: Recipe): ComputeDef =>
  instantiate(
    mapOp((i, A) => recipe([i], A)),
    {},
    "op",
  );

describe("as an identity", () => {
  test("the same operator built twice has the same text and digest; source places do not enter", () => {
    fc.assert(
      fc.property(floatRecipe(), (recipe) => {
        const [first, second] = [build(recipe), build(recipe)];
        expect(printComputeDef(second)).toBe(printComputeDef(first));
        expect(digestOf(second)).toBe(digestOf(first));
      }),
    );
  });

  test("two operators with one text compute the same", () => {
    const A = Float32Array.of(0.3, -1.7, 2.5, 100);
    const results = new Map<string, unknown>();
    fc.assert(
      fc.property(floatRecipe(), (recipe) => {
        const def = build(recipe);
        const text = printComputeDef(def);
        const { B } = evaluate(def, { A });
        expect(B).toEqual(results.get(text) ?? B);
        results.set(text, B);
      }),
      { numRuns: 500 },
    );
    expect(results.size).toBeGreaterThan(100);
  });

  test("sizes, types and names enter", () => {
    const digests = [
      digestOf(instantiate(gemm, {}, "gemm")),
      digestOf(instantiate(gemm, { M: 511 }, "gemm")),
      digestOf(instantiate(gemm, {}, "product")),
    ];
    expect(new Set(digests).size).toBe(3);
  });
});
