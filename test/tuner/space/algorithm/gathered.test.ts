// Operands of products that are gathered into matrices of whole tiles, for tensor cores: which products, into what, and that schedules of
// them compute what the operator says.

import { describe, expect, test } from "vitest";
import {
  type AcceleratorTarget,
  authoring,
  type ComputeDef,
  type CudaSource,
  cudaSm80,
  cudaSm90,
  fromCompute,
  instantiate,
  lower,
  type Numerics,
  type Op,
  opLibrary,
  printComputeDef,
  schedule,
  webgpu,
} from "../../../../src/compiler/index.ts";
import { checkPlan } from "../../../../src/tuner/check/check-output.ts";
import { candidateKernel } from "../../../../src/tuner/kernel/candidate-kernel.ts";
import { drawPoint, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { predict } from "../../../../src/tuner/search/predict.ts";
import { gathered } from "../../../../src/tuner/space/algorithm/gathered.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { template } from "../../../../src/tuner/space/template/template.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { wrongInterpreted } from "../../../gpu/sweep/interpreted.ts";
import { inTurn } from "../../../support/long.ts";
import { referenceOf } from "../../../support/reference.ts";
import { describeSchedule, drawSchedules } from "../../../support/thread-schedules.ts";

const turn = inTurn(5);

const { attention, batchMatmul, conv1d, conv2d, conv3d, depthwiseConv2d, gemm, groupConv2d, transposedConv2d } =
  opLibrary;
const { compute, defineOp, reduceAxis, sum, tensor } = authoring;

const defined = (op: Op): ComputeDef => instantiate(op, {}, "op");
const spaceOf = (op: ComputeDef, target: AcceleratorTarget = cudaSm80, numerics: Numerics = "fast") =>
  generateSpace({ op, target, numerics, threads: 1 });
const isGathered = (...asked: Parameters<typeof spaceOf>): boolean =>
  spaceOf(...asked).templates.some(({ algorithm }) => algorithm === gathered.name);

/** C[i, j] = Σ A[i, k] · B[j, k], as weights of layers mostly lie. */
const byTransposed = (M: number, N: number, K: number, dtype: "f16" | "i8" = "f16"): Op =>
  defineOp({}, () => {
    const [A, B, k] = [tensor("A", [M, K], dtype), tensor("B", [N, K], dtype), reduceAxis("k", K)];
    const type = dtype === "i8" ? "i32" : "f32";
    return compute("C", [M, N], (i, j) => sum(A(i, k).cast(type).mul(B(j, k).cast(type)), k));
  });

/** Halves by weights of one byte each, whose scale is behind the sum: C[i, j] = s[j] · Σ A[i, k] · W[j, k] */
const byBytes = (dtype: "f16" | "bf16", byte: "i8" | "u8", [M, N, K]: readonly [number, number, number]): Op =>
  defineOp({}, () => {
    const [A, W, s] = [tensor("A", [M, K], dtype), tensor("W", [N, K], byte), tensor("s", [N], "f32")];
    const k = reduceAxis("k", K);
    return compute("C", [M, N], (i, j) => sum(A(i, k).mul(W(j, k).cast("f32")), k).mul(s(j)));
  });

/** Axes of one element, in both factors, in one of them and in none. */
const byAxesOfOne: Op = defineOp({}, () => {
  const [A, B] = [tensor("A", [1, 20, 1, 32], "f16"), tensor("B", [32, 1, 24], "f16")];
  const [r, k] = [reduceAxis("r", 1), reduceAxis("k", 32)];
  return compute("C", [1, 1, 20, 1, 24], (a, b, i, _, j) =>
    sum(
      A(a, i, r, k)
        .cast("f32")
        .mul(B(k, a.add(b), j).cast("f32")),
      [r, k],
    ),
  );
});

const half = { dtype: "f16" } as const;
const image = { H: 8, W: 8, C: 16, F: 16 } as const;

describe("what is gathered", () => {
  turn.each<readonly [string, Op, boolean]>([
    ["a convolution", conv2d({ ...image, ...half }), true],
    ["one of bytes", conv2d({ ...image, H: 10, W: 10, dtype: "i8" }), true],
    ["one along one axis", conv1d({ W: 66, C: 16, F: 32, ...half }), true],
    ["one along three", conv3d({ D: 4, H: 8, W: 8, C: 16, F: 16, ...half }), true],
    ["one of groups", groupConv2d({ ...image, H: 10, W: 10, C: 32, F: 32, groups: 2, ...half }), true],
    ["a transposed one", transposedConv2d({ H: 8, W: 8, C: 16, F: 16, ...half }), true],
    ["extents that are no tiles", gemm({ M: 100, N: 50, K: 30, ...half }), true],
    ["a transposed matrix", byTransposed(64, 64, 64), true],
    ["halves by weights of bytes", byBytes("bf16", "i8", [64, 64, 64]), true],
    ["the scores of attention", attention({ heads: 2, M: 64, N: 64, D: 32, ...half }), true],
    ["whole tiles that lie as they should", gemm({ M: 64, N: 64, K: 64, ...half }), false],
    ["bytes along the depth", byTransposed(64, 64, 64, "i8"), false],
    ["a channel of its own for each", depthwiseConv2d({ H: 8, W: 8, C: 16, ...half }), false],
    ["few rows", gemm({ M: 7, N: 64, K: 60, ...half }), false],
    ["tiles that are mostly padding", gemm({ M: 9, N: 9, K: 9, ...half }), false],
    ["numbers that tensor cores do not have", conv2d(image), false],
  ])("%s", (_, op, expected) => {
    expect(isGathered(defined(op))).toBe(expected);
  });

  test("only for tensor cores, and in numerics strict only what is exact", () => {
    const [halves, bytes] = [half, { dtype: "i8" } as const].map((type) => {
      return defined(conv2d({ ...image, H: 10, W: 10, ...type }));
    }) as [ComputeDef, ComputeDef];
    expect(isGathered(halves, webgpu)).toBe(false);
    expect([halves, bytes].map((op) => isGathered(op, cudaSm90, "strict"))).toEqual([false, true]);
  });
});

test("a convolution becomes a product of matrices of whole tiles, with zeros behind the depth", () => {
  const op = defined(conv2d({ H: 8, W: 8, C: 3, F: 16, padding: 1, ...half }));
  expect(printComputeDef(gathered.rewrite(op).op)).toMatchInlineSnapshot(`
    "op(image: f16[1, 8, 8, 3], filter: f16[3, 3, 3, 16]) -> out
    out.sum.left[m, k] = select(k < 27, select(floorDiv(m, 8) + mod(floorDiv(k, 9), 3) - 1 >= 0 && floorDiv(m, 8) + mod(floorDiv(k, 9), 3) - 1 < 8 && (mod(m, 8) + mod(floorDiv(k, 3), 3) - 1 >= 0 && mod(m, 8) + mod(floorDiv(k, 3), 3) - 1 < 8), image[0, floorDiv(m, 8) + mod(floorDiv(k, 9), 3) - 1, mod(m, 8) + mod(floorDiv(k, 3), 3) - 1, mod(k, 3)], 0.0f16), 0.0f16)  f16  m 64, k 32
    out.sum.right[k, n] = select(k < 27, filter[mod(floorDiv(k, 9), 3), mod(floorDiv(k, 3), 3), mod(k, 3), n], 0.0f16)  f16  k 32, n 16
    out.sum.products[m, n] = sum(f32(out.sum.left[m, k]) * f32(out.sum.right[k, n]), k)  f32  m 64, n 16, k 32
    out[n, y, x, f] = f16(out.sum.products[(n * 8 + y) * 8 + x, f])  f16  n 1, y 8, x 8, f 16
    "
  `);
});

test("a matrix that lies as it should is read there, and the other turned", () => {
  const op = defined(byTransposed(64, 128, 64));
  expect(printComputeDef(gathered.rewrite(op).op)).toMatchInlineSnapshot(`
    "op(A: f16[64, 64], B: f16[128, 64]) -> C
    C.right[k, n] = B[n, k]  f16  k 64, n 128
    C.products[m, n] = sum(f32(A[m, k]) * f32(C.right[k, n]), k)  f32  m 64, n 128, k 64
    C[i, j] = C.products[i, j]  f32  i 64, j 128
    "
  `);
});

test("weights of bytes become halves on the way", () => {
  expect(printComputeDef(gathered.rewrite(defined(byBytes("bf16", "i8", [64, 64, 64]))).op)).toMatchInlineSnapshot(`
    "op(A: bf16[64, 64], W: i8[64, 64], s: f32[64]) -> C
    C.sum.right[k, n] = bf16(W[n, k])  bf16  k 64, n 64
    C.sum.products[m, n] = sum(f32(A[m, k]) * f32(C.sum.right[k, n]), k)  f32  m 64, n 64, k 64
    C[i, j] = C.sum.products[i, j] * s[j]  f32  i 64, j 64
    "
  `);
});

test("the matrix of a constant operand is made once for all calls", () => {
  const op = defined(conv2d({ ...image, H: 10, W: 10, ...half }));
  const task = { op, target: cudaSm80, numerics: "fast", threads: 1, constants: ["filter"] } as const;
  const space = generateSpace(task);
  const made = space.templates.filter(({ algorithm }) => algorithm === gathered.name);
  const search = searchSpace({ ...space, templates: made });
  const { candidate } = drawPoint(search, search.templates[0]!, createRng(1), { spread: "plain" })!;
  const kernel = candidateKernel(task, space, candidate);
  if (kernel.kind !== "ok") throw new Error(kernel.kind);
  const [prepared, called] = [kernel.prepare!, kernel.source].map((it) => (it as CudaSource).launches.length);
  expect({ prepared, called }).toEqual({ prepared: 1, called: 3 });
});

test("templates of a user may schedule it", () => {
  const op = defined(byTransposed(64, 64, 64));
  const own = template("mine", (t) => t.bind("C.i", "blockIdx.x"), { algorithm: "gathered matrices" });
  const task = { op, target: cudaSm80, numerics: "fast", threads: 1 } as const;
  const [made] = generateSpace(task, undefined, [own]).templates;
  expect(made!.op?.stages.map(({ name }) => name)).toEqual(["C.right", "C.products", "C"]);
});

turn.each<readonly [string, Op]>([
  ["a convolution of ResNet", conv2d({ N: 4, H: 30, W: 30, C: 128, F: 128, ...half })],
  ["a product of 1000", gemm({ M: 1000, N: 1000, K: 1000, ...half })],
  ["a layer", byTransposed(1024, 1024, 1024)],
])("is predicted to be faster than other threads: %s", (_, op) => {
  for (const target of [cudaSm80, cudaSm90]) {
    expect(predict(spaceOf(defined(op), target))!.template).toMatch(/^gathered matrices: .* on tensor cores/);
  }
});

describe("schedules compute what the operator says", () => {
  turn.each<readonly [string, Op]>([
    ["a convolution", conv2d({ ...image, padding: 1, stride: 2, H: 12, W: 12, ...half }, { bias: true })],
    ["one of bytes", conv2d({ ...image, H: 10, W: 10, dtype: "i8" })],
    ["one of groups", groupConv2d({ H: 10, W: 6, C: 32, F: 32, groups: 2, ...half })],
    ["a transposed one", transposedConv2d({ H: 4, W: 4, C: 16, F: 16, ...half })],
    ["extents that are no tiles", gemm({ M: 40, N: 50, K: 30, dtype: "bf16" }, { bias: true, activation: "relu" })],
    ["a transposed matrix", byTransposed(32, 64, 48)],
    ["halves by weights of bytes", byBytes("f16", "u8", [40, 32, 48])],
    ["the same of bf16", byBytes("bf16", "i8", [32, 48, 64])],
    ["a batch of one", batchMatmul({ batch: 1, M: 40, N: 24, K: 32, ...half })],
    ["axes of one element", byAxesOfOne],
  ])("%s", (_, made) => {
    const op = defined(made);
    const reference = referenceOf(op, createRng(2), checkPlan(op));
    for (const target of [cudaSm80, cudaSm90]) {
      const templates = spaceOf(op, target).templates.filter(({ algorithm }) => algorithm === gathered.name);
      expect(templates.length).toBeGreaterThan(0);
      for (const each of templates.slice(-2)) {
        const [drawn] = drawSchedules(each, 1, 3);
        const flat = lower(schedule(fromCompute(each.op!), drawn!.trace), { target, numerics: "fast" });
        expect(wrongInterpreted(reference, flat), describeSchedule(drawn!)).toBeNull();
      }
    }
  });
});
