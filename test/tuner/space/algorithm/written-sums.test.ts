// Short sums are written out, on GPUs only where rows of them can be kept; their terms keep their order.

import { expect, test } from "vitest";
import {
  authoring,
  instantiate,
  type Op,
  printComputeDef,
  type Target,
  targets,
  webgpu,
} from "../../../../src/compiler/index.ts";
import { writtenSums } from "../../../../src/tuner/space/algorithm/written-sums.ts";

const { compute, defineOp, max, reduceAxis, sum, tensor } = authoring;

const passes = (reduce: typeof sum, taps: number): Op =>
  defineOp({}, () => {
    const [A, w] = [tensor("A", [8 + taps - 1, 20], "f32"), tensor("w", [taps], "f32")];
    const k = reduceAxis("k", taps);
    const twice = compute("twice", [8 + taps - 1, 20], (y, x) => A(y, x).mul(2));
    return compute("out", [8, 20], (y, x) => reduce(twice(y.add(k), x).mul(w(k)) as never, k));
  });

const written = (op: Op): string => printComputeDef(writtenSums.rewrite(instantiate(op, {}, "op")).op);

const applies = (op: Op, target: Target = targets.avx2): boolean =>
  writtenSums.applies({ op: instantiate(op, {}, "op"), target, numerics: "fast", threads: 1 });

test("the terms of a sum stand in their order", () => {
  expect(written(passes(sum, 3))).toMatchInlineSnapshot(`
    "op(A: f32[10, 20], w: f32[3]) -> out
    twice[y, x] = A[y, x] * 2.0  f32  y 10, x 20
    out[y, x] = twice[y + 0, x] * w[0] + twice[y + 1, x] * w[1] + twice[y + 2, x] * w[2]  f32  y 8, x 20
    "
  `);
  expect(applies(passes(sum, 3))).toBe(true);
});

test("a maximum begins with its least value, as one that is computed in a loop", () => {
  expect(written(passes(max as never, 2))).toMatchInlineSnapshot(`
    "op(A: f32[9, 20], w: f32[2]) -> out
    twice[y, x] = A[y, x] * 2.0  f32  y 9, x 20
    out[y, x] = max(max(-f32.inf, twice[y + 0, x] * w[0]), twice[y + 1, x] * w[1])  f32  y 8, x 20
    "
  `);
});

test("long sums stay, and those of a GPU of which no rows are kept", () => {
  expect(applies(passes(sum, 26))).toBe(false);
  const pool = defineOp({}, () => {
    const A = tensor("A", [9, 20], "f32");
    const k = reduceAxis("k", 2);
    return compute("out", [8, 20], (y, x) => sum(A(y.add(k), x), k));
  });
  expect(applies(pool)).toBe(true);
  expect(applies(pool, webgpu)).toBe(false);
  expect(applies(passes(sum, 3), webgpu)).toBe(true);
});
