// The operator library against direct computations.

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { erf } from "../../../src/compiler/expr/erf.ts";
import {
  evaluate,
  instantiate,
  type Op,
  opLibrary as ops,
  type TypedArray,
  valuesOf,
} from "../../../src/compiler/index.ts";
import { isLong } from "../../support/long.ts";

const f = Math.fround;
const floats = (length: number, seed = 0): Float32Array =>
  Float32Array.from({ length }, (_, at) => Math.sin(at * 7.13 + seed) * 2);
const ints = (length: number, seed = 0): Float32Array =>
  Float32Array.from({ length }, (_, at) => ((at * 7 + seed) % 11) - 5);
const run = (op: Op, inputs: Readonly<Record<string, TypedArray>>): TypedArray =>
  Object.values(evaluate(instantiate(op, {}, "op"), inputs))[0]!;
const close = (actual: TypedArray, expected: readonly number[]): void => {
  expect(actual).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(actual[at]).toBeCloseTo(value, 5);
};
const extent = fc.integer({ min: 1, max: 6 });

/** A part of them in each run, by a seed of its own. */
const runs = { numRuns: isLong ? 100 : 30 };

describe("products", () => {
  test("gemm with bias and each activation", () => {
    const A = Float32Array.of(1, 2);
    const B = Float32Array.of(1, -3, 0.5, 0);
    const bias = Float32Array.of(0, 1);
    const product = [2, -2]; // [1, 2] · [[1, -3], [0.5, 0]] + [0, 1]
    const gemm = (activation: ops.Activation): TypedArray =>
      run(ops.gemm({ M: 1, N: 2, K: 2 }, { bias: true, activation }), { A, B, bias });
    close(gemm("none"), product);
    close(gemm("relu"), [2, 0]);
    close(
      gemm("sigmoid"),
      product.map((x) => 1 / (1 + Math.exp(-x))),
    );
    close(gemm("tanh"), product.map(Math.tanh));
    close(
      gemm("silu"),
      product.map((x) => x / (1 + Math.exp(-x))),
    );
    close(
      gemm("gelu"),
      product.map((x) => (x / 2) * (1 + erf(x / Math.SQRT2))),
    );
  });

  test("gemm of i8 is summed in i32, of f16 in f32 and stored as f16", () => {
    const bytes = Int8Array.from({ length: 200 }, () => 127);
    expect(run(ops.gemm({ M: 1, N: 1, K: 200, dtype: "i8" }), { A: bytes, B: bytes })).toEqual(Int32Array.of(3225800));
    const ones = new Uint16Array(3000).fill(0x3c00);
    const C = run(ops.gemm({ M: 1, N: 1, K: 3000, dtype: "f16" }), { A: ones, B: ones });
    expect(valuesOf("f16", C)).toEqual([3000]);
  });

  test.prop([extent, extent, extent, extent], runs)("batchMatmul is a gemm for each of the batch", (batch, M, N, K) => {
    const [A, B] = [ints(batch * M * K), ints(batch * K * N, 3)];
    const C = run(ops.batchMatmul({ batch, M, N, K }), { A, B });
    const one = ops.gemm({ M, N, K });
    const each = Array.from({ length: batch }, (_, b) => [
      ...run(one, { A: A.subarray(b * M * K, (b + 1) * M * K), B: B.subarray(b * K * N, (b + 1) * K * N) }),
    ]);
    expect([...C]).toEqual(each.flat());
  });

  test.prop([extent, extent], runs)("gemv is a gemm with one column", (M, K) => {
    const [A, x] = [ints(M * K), ints(K, 2)];
    expect(run(ops.gemv({ M, K }), { A, x })).toEqual(run(ops.gemm({ M, N: 1, K }), { A, B: x }));
  });
});

describe("windows", () => {
  const size = fc.integer({ min: 1, max: 3 });
  const conv = fc.record({
    H: fc.integer({ min: 5, max: 8 }),
    W: fc.integer({ min: 5, max: 8 }),
    KH: size,
    KW: size,
    stride: size,
    padding: fc.nat(2),
    dilation: fc.integer({ min: 1, max: 2 }),
  });

  test.prop([conv], runs)("conv2d with stride, padding and dilation", ({ H, W, KH, KW, stride, padding, dilation }) => {
    const [N, C, F] = [2, 2, 3];
    const [image, filter] = [ints(N * H * W * C), ints(KH * KW * C * F, 1)];
    const pixel = (n: number, y: number, x: number, c: number): number =>
      y >= 0 && y < H && x >= 0 && x < W ? image[((n * H + y) * W + x) * C + c]! : 0;
    const expected: number[] = [];
    for (let n = 0; n < N; n++)
      for (let y = -padding; y + dilation * (KH - 1) < H + padding; y += stride)
        for (let x = -padding; x + dilation * (KW - 1) < W + padding; x += stride)
          for (let k = 0; k < F; k++) {
            let total = 0;
            for (let at = 0; at < KH * KW * C; at++) {
              const [ky, kx, c] = [Math.floor(at / C / KW), Math.floor(at / C) % KW, at % C];
              total += pixel(n, y + ky * dilation, x + kx * dilation, c) * filter[at * F + k]!;
            }
            expected.push(total);
          }
    const out = run(ops.conv2d({ N, H, W, C, F, KH, KW, stride, padding, dilation }), { image, filter });
    expect([...out]).toEqual(expected);
  });

  test("conv2d with bias and relu", () => {
    const [image, filter, bias] = [ints(25), ints(9), Float32Array.of(-3)];
    const plain = run(ops.conv2d({ H: 5, W: 5, C: 1, F: 1 }), { image, filter });
    const out = run(ops.conv2d({ H: 5, W: 5, C: 1, F: 1 }, { bias: true, activation: "relu" }), {
      image,
      filter,
      bias,
    });
    expect([...out]).toEqual([...plain].map((x) => Math.max(0, x - 3)));
  });

  test("maxPool2d: padding never wins", () => {
    const image = Float32Array.from({ length: 16 }, (_, at) => -1 - at);
    expect([...run(ops.maxPool2d({ H: 4, W: 4, C: 1 }), { image })]).toEqual([-1, -3, -9, -11]);
    const padded = run(ops.maxPool2d({ H: 4, W: 4, C: 1, size: 3, stride: 2, padding: 1 }), { image });
    expect([...padded]).toEqual([-1, -2, -5, -6]);
  });

  test("avgPool2d counts the zeros around the image", () => {
    const image = Float32Array.from({ length: 16 }, (_, at) => at);
    expect([...run(ops.avgPool2d({ H: 4, W: 4, C: 1 }), { image })]).toEqual([2.5, 4.5, 10.5, 12.5]);
    const padded = run(ops.avgPool2d({ H: 4, W: 4, C: 1, size: 2, stride: 4, padding: 1 }), { image });
    expect([...padded]).toEqual([0, 0.75, 3, 3.75]);
  });

  test.prop([conv], runs)("depthwiseConv2d is a conv2d of each channel", ({ H, W, ...window }) => {
    const C = 2;
    const { KH, KW } = window;
    const [image, filter] = [ints(H * W * C), ints(KH * KW * C, 1)];
    const channel = (array: Float32Array, c: number): Float32Array => array.filter((_, at) => at % C === c);
    const out = run(ops.depthwiseConv2d({ H, W, C, ...window }), { image, filter }) as Float32Array;
    for (const c of [0, 1]) {
      const inputs = { image: channel(image, c), filter: channel(filter, c) };
      expect(channel(out, c)).toEqual(run(ops.conv2d({ H, W, C: 1, F: 1, ...window }), inputs));
    }
  });
});

describe("rows", () => {
  test.prop([extent, extent], runs)("softmax sums to one and keeps ratios", (M, N) => {
    const X = floats(M * N);
    const Y = run(ops.softmax({ M, N }), { X });
    const expected = Array.from({ length: M * N }, (_, at) => {
      const row = [...X.subarray(at - (at % N), at - (at % N) + N)];
      return Math.exp(X[at]!) / row.reduce((sum, x) => sum + Math.exp(x), 0);
    });
    close(Y, expected);
  });

  test("rmsNorm and layerNorm", () => {
    const [M, N] = [2, 4];
    const [X, weight, bias] = [floats(M * N), floats(N, 1), floats(N, 2)];
    const mean = (xs: readonly number[]): number => xs.reduce((a, b) => a + b, 0) / N;
    const rows = [0, 1].map((i) => [...X.subarray(i * N, i * N + N)]);
    const rms = rows.flatMap((row) =>
      row.map((x, j) => (x / Math.sqrt(mean(row.map((v) => v * v)) + 1e-5)) * weight[j]!),
    );
    close(run(ops.rmsNorm({ M, N }), { X, weight }), rms);
    const normal = rows.flatMap((row) => {
      const m = mean(row);
      const scale = 1 / Math.sqrt(mean(row.map((v) => (v - m) ** 2)) + 1e-5);
      return row.map((x, j) => (x - m) * scale * weight[j]! + bias[j]!);
    });
    close(run(ops.layerNorm({ M, N }), { X, weight, bias }), normal);
  });

  test("map takes as many operands as its function has parameters", () => {
    const op = ops.map({ N: 5 }, (a, b) => a.mul(b).add(1));
    const [x0, x1] = [floats(5), floats(5, 1)];
    expect([...run(op, { x0, x1 })]).toEqual([...x0].map((x, at) => f(f(x * x1[at]!) + 1)));
  });
});
