// The interpreter against the same computations written directly in JavaScript.

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import conv2d from "../../../fixtures/ops/conv2d.op.ts";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import gemmInt8 from "../../../fixtures/ops/gemm-int8.op.ts";
import softmax from "../../../fixtures/ops/softmax.op.ts";
import statistics from "../../../fixtures/ops/statistics.op.ts";
import { evaluate } from "../../../src/compiler/expr/evaluate.ts";
import { instantiate } from "../../../src/compiler/instance/instantiate.ts";

const f = Math.fround;
const floats = (length: number, seed: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => Math.sin(at * 12.9898 + seed) * 3);
const extent = fc.integer({ min: 1, max: 7 });
const seed = fc.integer({ min: 0, max: 1000 });

function product(a: Float32Array, b: Float32Array, M: number, N: number, K: number): Float32Array {
  const c = new Float32Array(M * N);
  for (let i = 0; i < M; i++) {
    for (let j = 0; j < N; j++) {
      for (let k = 0; k < K; k++) c[i * N + j] = f(c[i * N + j]! + f(a[i * K + k]! * b[k * N + j]!));
    }
  }
  return c;
}

describe("evaluate", () => {
  test.prop([extent, extent, extent, seed])("gemm is the three loops", (M, N, K, s) => {
    const [A, B] = [floats(M * K, s), floats(K * N, s + 1)];
    expect(evaluate(instantiate(gemm, { M, N, K }, "gemm"), { A, B })).toEqual({ C: product(A, B, M, N, K) });
  });

  test.prop([extent, extent, extent, seed])("gemm-exp-gemm is two products and a map", (M, N, K, s) => {
    const L = 3;
    const [A, B, E] = [floats(M * K, s), floats(K * N, s + 1), floats(N * L, s + 2)];
    const F = product(product(A, B, M, N, K).map(Math.exp), E, M, L, N);
    expect(evaluate(instantiate(gemmExpGemm, { M, N, K, L }, "op"), { A, B, E })).toEqual({ F });
  });

  test.prop([extent, extent, extent, extent, seed])("conv2d reads zeros outside the image", (H, W, C, F, s) => {
    const [image, filter] = [floats(H * W * C, s), floats(9 * C * F, s + 1)];
    const out = new Float32Array(H * W * F);
    for (let at = 0; at < out.length; at++) {
      const [y, x, k] = [Math.floor(at / F / W), Math.floor(at / F) % W, at % F];
      for (let ry = 0; ry < 3; ry++) {
        for (let rx = 0; rx < 3; rx++) {
          const [iy, ix] = [y + ry - 1, x + rx - 1];
          const inside = iy >= 0 && iy < H && ix >= 0 && ix < W;
          for (let c = 0; c < C; c++) {
            const pixel = inside ? image[(iy * W + ix) * C + c]! : 0;
            out[at] = f(out[at]! + f(pixel * filter[((ry * 3 + rx) * C + c) * F + k]!));
          }
        }
      }
    }
    expect(evaluate(instantiate(conv2d, { H, W, C, F }, "conv"), { image, filter })).toEqual({ out });
  });

  test.prop([extent, extent, seed])("softmax of a row", (M, N, s) => {
    const X = floats(M * N, s);
    const Y = new Float32Array(M * N);
    for (let i = 0; i < M; i++) {
      const row = X.subarray(i * N, i * N + N);
      const e = row.map((x) => Math.exp(f(x - Math.max(...row))));
      const total = e.reduce((sum, x) => f(sum + x), 0);
      for (let j = 0; j < N; j++) Y[i * N + j] = e[j]! / total;
    }
    expect(evaluate(instantiate(softmax, { M, N }, "softmax"), { X })).toEqual({ Y });
  });

  test.prop([fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 })])("u8 times i8 in i32", (a) => {
    const [A, B] = [Uint8Array.from(a), Int8Array.from([1, -2, 3, -128, 127, 5])];
    const def = instantiate(gemmInt8, { M: 1, N: 1, K: 6 }, "dot");
    expect(evaluate(def, { A, B }).C).toEqual(Int32Array.of(A.reduce((sum, x, k) => sum + x * B[k]!, 0)));
  });

  test("several results come by name; argmax is the first of equals", () => {
    const X = Float32Array.of(1, 5, 5, 1, -1, -1, -2, 0);
    const results = evaluate(instantiate(statistics, { M: 2, N: 4 }, "statistics"), { X });
    expect(results).toEqual({
      mean: Float32Array.of(3, -1),
      variance: Float32Array.of(4, 0.5),
      largest: Int32Array.of(1, 3),
    });
  });

  test("an input of the wrong length is our mistake", () => {
    const def = instantiate(softmax, { M: 2, N: 2 }, "softmax");
    expect(() => evaluate(def, { X: new Float32Array(3) })).toThrow("input X has 3 elements, its shape 2×2");
  });
});
