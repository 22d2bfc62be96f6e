import { describe, expect, test } from "vitest";
import { instantiate, type Op, opLibrary, targets } from "../../../src/compiler/index.ts";
import { extentsOf, familyOf, shapeDistance } from "../../../src/tuner/data/family.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";

const taskOf = (op: Op, more: Partial<TuningTask> = {}, name = "kernel"): TuningTask => ({
  op: instantiate(op, {}, name),
  target: targets.wasm,
  numerics: "fast",
  threads: 1,
  ...more,
});
const gemm = (M: number, N: number, K: number, dtype: "f32" | "f64" = "f32"): Op => opLibrary.gemm({ M, N, K, dtype });
const { conv2d, layerNorm } = opLibrary;

describe("a family", () => {
  test("holds an operator in all its sizes, whatever it is called", () => {
    expect(familyOf(taskOf(gemm(512, 768, 768)))).toBe(familyOf(taskOf(gemm(64, 64, 1000), {}, "other")));
  });

  test.each<[string, Op, Op]>([
    [
      "the sizes of a border",
      conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }),
      conv2d({ H: 14, W: 28, C: 32, F: 16, padding: 1 }),
    ],
    ["the divisor of a mean", layerNorm({ M: 4, N: 1024 }), layerNorm({ M: 8, N: 768 })],
  ])("does not tell %s apart", (_, one, other) => {
    expect(familyOf(taskOf(one))).toBe(familyOf(taskOf(other)));
  });

  test.each<[string, TuningTask]>([
    ["another type", taskOf(gemm(512, 512, 512, "f64"))],
    ["another operator", taskOf(conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }))],
    ["strict numerics", taskOf(gemm(512, 512, 512), { numerics: "strict" })],
    ["a constant input", taskOf(gemm(512, 512, 512), { constants: ["B"] })],
  ])("is another with %s", (_, task) => {
    expect(familyOf(task)).not.toBe(familyOf(taskOf(gemm(512, 512, 512))));
  });
});

test("extents are named by stage and axis", () => {
  expect(extentsOf(taskOf(gemm(512, 768, 64)).op)).toEqual({ "C.i": 512, "C.j": 768, "C.k": 64 });
});

test("the distance of two shapes is in octaves", () => {
  const at = (i: number, j: number) => ({ "C.i": i, "C.j": j });
  expect(shapeDistance(at(512, 512), at(512, 512))).toBe(0);
  expect(shapeDistance(at(512, 512), at(1024, 128))).toBe(3);
  expect(shapeDistance(at(1, 1), { "C.i": 1 })).toBe(Number.POSITIVE_INFINITY);
  expect(shapeDistance(at(1, 1), { "C.i": 1, "C.x": 1 })).toBe(Number.POSITIVE_INFINITY);
});
