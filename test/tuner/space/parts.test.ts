// Sums with few results and a great depth on GPUs, whose depth groups share: which have such templates, that schedules compute what the
// reference does, on threads and on tensor cores, and that they take two launches. Reductions of few long rows take three.

import { describe, expect, test } from "vitest";
import {
  type AcceleratorTarget,
  authoring,
  type ComputeDef,
  type CudaSource,
  cudaSm80,
  cudaSm90,
  fromCompute,
  generateKernel,
  instantiate,
  lower,
  type Numerics,
  type Op,
  opLibrary,
  schedule,
  webgpu,
} from "../../../src/compiler/index.ts";
import { checkPlan } from "../../../src/tuner/check/check-output.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { wrongInterpreted } from "../../gpu/sweep/interpreted.ts";
import { fewer, inTurn } from "../../support/long.ts";
import { referenceOf } from "../../support/reference.ts";
import { describeSchedule, drawSchedules, threadSpace, wrongThreads } from "../../support/thread-schedules.ts";

const turn = inTurn(7);

const { batchMatmul, conv2d, gemm, softmax, sum } = opLibrary;

const defined = (op: Op): ComputeDef => instantiate(op, {}, "op");

const spaceOf = (op: Op, target: AcceleratorTarget = webgpu, numerics: Numerics = "fast") =>
  generateSpace({ op: defined(op), target, numerics, threads: 1 });

/** Templates with parts, of operands where they lie. */
const partedOf = (...asked: Parameters<typeof spaceOf>) =>
  spaceOf(...asked).templates.filter(({ algorithm, name }) => algorithm === null && name.includes("in parts"));

const namesOf = (...asked: Parameters<typeof spaceOf>): readonly string[] => partedOf(...asked).map(({ name }) => name);

/** A product of which another stage reads an operand, too. */
const withSharedOperand = authoring.defineOp({ M: 4, N: 6, K: 128 }, ({ M, N, K }) => {
  const { compute, reduceAxis, sum, tensor } = authoring;
  const [A, B, k] = [tensor("A", [M, K], "f32"), tensor("B", [K, N], "f32"), reduceAxis("k", K)];
  const C = compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
  const D = compute("D", [M, K], (i, j) => A(i, j).mul(C(i, 0)));
  return { C, D };
});

/** Sums of three columns. */
const columns = (rows: number): Op =>
  authoring.defineOp({ M: rows, N: 3 }, ({ M, N }) => {
    const [X, k] = [authoring.tensor("X", [M, N], "f32"), authoring.reduceAxis("k", M)];
    return authoring.compute("y", [N], (j) => authoring.sum(X(k, j), k));
  });

describe("templates", () => {
  const tiles = "in parts of k in tiles of threads";
  const ways = (title: string): readonly string[] => [
    `${title} ${tiles}`,
    `${title} ${tiles}, operands in their group`,
    `${title} ${tiles}, k in slices`,
  ];

  turn.each<readonly [string, Op, readonly string[]]>([
    ["few results", gemm({ M: 16, N: 4096, K: 4096 }), ways("C").slice(0, 2)],
    ["few results that a map finishes", gemm({ M: 64, N: 64, K: 2048 }, { bias: true }), ways("C with C.sum")],
    ["results that fill a machine", gemm({ M: 512, N: 512, K: 512 }), []],
    ["a depth that parts leave no work", gemm({ M: 4, N: 8, K: 120 }), []],
    ["a depth that nothing divides is cut into slices at once", gemm({ M: 4, N: 8, K: 1217 }), ways("C").slice(2)],
  ])("%s", (_, op, names) => {
    expect(namesOf(op)).toEqual(names);
  });

  test("sums in their order have none, those of integers are in any", () => {
    const ofType = (dtype: "f32" | "i32") => namesOf(gemm({ M: 4, N: 8, K: 512, dtype }), webgpu, "strict");
    expect([ofType("f32"), ofType("i32")]).toEqual([[], ways("C")]);
  });

  test("tensor cores have parts of whole tiles, and of whole panels", () => {
    const deep = (K: number): Op => gemm({ M: 64, N: 64, K, dtype: "f16" });
    const title = "C with C.sum in parts of k on tensor cores";
    expect(namesOf(deep(4096), cudaSm80)).toEqual([title]);
    expect(namesOf(deep(4096), cudaSm90)).toEqual([
      title,
      `${title}, 64 columns at once`,
      `${title}, 64 columns at once, by boxes`,
      `${title}, 64 columns at once, by boxes, warp-specialized`,
    ]);
    // Parts of 72 are no whole tiles of 16.
    expect(namesOf(deep(144), cudaSm90)).toEqual([]);
  });
});

turn("a product with few results and a great depth is predicted to be faster in parts, a square one is not", () => {
  const predicted = (op: Op, target: AcceleratorTarget): string => predict(spaceOf(op, target))!.template;
  for (const target of [webgpu, cudaSm90]) {
    expect(predicted(gemm({ M: 16, N: 4096, K: 4096 }), target)).toContain("in parts of k");
    expect(predicted(gemm({ M: 256, N: 256, K: 256 }), target)).not.toContain("in parts of k");
  }
  expect(predicted(gemm({ M: 16, N: 4096, K: 4096, dtype: "f16" }), cudaSm90)).toContain("in parts of k on tensor");
  // As those of images without powers of two.
  for (const target of [webgpu, cudaSm90]) {
    expect(predicted(columns(1_000_003), target)).toBe("y in parts of k in tiles of threads, k in slices");
  }
});

describe("few long rows", () => {
  const longNames = (op: Op): readonly string[] =>
    threadSpace(defined(op))
      .templates.map(({ name }) => name)
      .filter((name) => name.endsWith("in parts"));

  test("have groups that share them, each reduction for itself; many rows and short ones have a group each", () => {
    expect(longNames(sum({ M: 32, N: 8192 }))).toEqual(["y in parts"]);
    expect(longNames(softmax({ M: 2, N: 8192 }))).toEqual([
      "Y in vectors of threads; Y.sum by rows; Y.max in parts",
      "Y in vectors of threads; Y.sum in parts; Y.max in parts",
    ]);
    expect([sum({ M: 33, N: 8192 }), sum({ M: 2, N: 8191 })].map(longNames)).toEqual([[], []]);
  });

  turn.each<readonly [string, Op]>([
    ["sums", sum({ M: 3, N: 8193 })],
    ["softmax", softmax({ M: 2, N: 8192 })],
  ])("are what the reference says: %s", (_, made) => {
    const op = defined(made);
    const reference = referenceOf(op, createRng(4), checkPlan(op));
    const template = threadSpace(op).templates.findLast(({ name }) => name.endsWith("in parts"))!;
    for (const drawn of drawSchedules(template, 1, 5)) expect(wrongThreads(reference, drawn)).toBeNull();
  });
});

describe("schedules compute what the reference does after every pass", () => {
  turn.each<readonly [string, Op]>([
    ["a product", gemm({ M: 5, N: 12, K: 128 })],
    ["one that a map finishes", gemm({ M: 3, N: 8, K: 128 }, { bias: true, activation: "gelu" })],
    ["one of integers", gemm({ M: 3, N: 7, K: 384, dtype: "i32" })],
    ["batches", batchMatmul({ batch: 2, M: 3, N: 9, K: 128 })],
    ["parts that no steps divide", gemm({ M: 3, N: 8, K: 2 * 77 })],
    ["a depth that nothing divides", gemm({ M: 3, N: 8, K: 151 })],
    ["sums of columns, the last parts of which have nothing", columns(1031)],
    ["a convolution", conv2d({ H: 3, W: 4, C: 128, F: 5 })],
    ["one whose operand another stage reads", withSharedOperand],
  ])("%s", (_, made) => {
    const op = defined(made);
    const reference = referenceOf(op, createRng(4), checkPlan(op));
    const templates = threadSpace(op).templates.filter(({ name }) => name.includes("in parts"));
    expect(templates.length).toBeGreaterThan(0);
    for (const drawn of templates.flatMap((template) => drawSchedules(template, fewer(3), 1))) {
      expect(wrongThreads(reference, drawn)).toBeNull();
    }
  });
});

describe("on tensor cores, interpreted, and printed as two launches", () => {
  const products: readonly (readonly [string, Op])[] = [
    ["halves", gemm({ M: 64, N: 64, K: 256, dtype: "f16" })],
    ["halves that a map finishes", gemm({ M: 64, N: 64, K: 128, dtype: "bf16" }, { bias: true, activation: "relu" })],
    ["batches", batchMatmul({ batch: 2, M: 16, N: 32, K: 128, dtype: "f16" })],
    ["bytes", gemm({ M: 32, N: 64, K: 256, dtype: "i8" })],
  ];
  turn.each([cudaSm80, cudaSm90].flatMap((target) => products.map(([title, op]) => ({ target, title, op }))))(
    "$target.name: $title",
    ({ target, op: made }) => {
      const op = defined(made);
      const templates = partedOf(made, target);
      expect(templates.length).toBeGreaterThan(0);
      const reference = referenceOf(op, createRng(2), checkPlan(op));
      for (const drawn of templates.flatMap((template) => drawSchedules(template, fewer(2), 3))) {
        const flat = lower(schedule(fromCompute(op), drawn.trace), { target, numerics: "fast" });
        expect(wrongInterpreted(reference, flat), describeSchedule(drawn)).toBeNull();
        const kernel = generateKernel(op, drawn.trace, target, { numerics: "fast", verify: true });
        if (kernel.kind !== "ok") throw new Error(describeSchedule(drawn));
        const { launches } = kernel.source as CudaSource;
        const [sums, ends] = launches.map(({ grid }) => grid.reduce((all, extent) => all * extent, 1));
        expect(launches).toHaveLength(2);
        expect(sums! % partsIn(drawn.assignment)).toBe(0);
        expect(ends).toBeGreaterThan(0);
      }
    },
  );
});

const partsIn = (assignment: Readonly<Record<string, number>>): number =>
  Object.entries(assignment).find(([name]) => name.endsWith(".parts"))![1];
