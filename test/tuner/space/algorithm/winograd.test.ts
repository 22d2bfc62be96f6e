// Winograd convolution: which operators it takes, that its definition gives the reference's numbers, and that its
// schedules do.

import { describe, expect, test } from "vitest";
import conv2dFixture from "../../../../fixtures/ops/conv2d.op.ts";
import {
  authoring,
  type ComputeDef,
  type CpuTarget,
  evaluate,
  fromCompute,
  instantiate,
  instantiateTemplate,
  type Op,
  opLibrary,
  replay,
  targets,
} from "../../../../src/compiler/index.ts";
import { walkStmt } from "../../../../src/compiler/ir/visit.ts";
import type { HasBounds } from "../../../../src/native/runner/protocol.ts";
import { checkPlan } from "../../../../src/tuner/check/check-output.ts";
import { roundingBounds, worstRelativeError } from "../../../../src/tuner/check/error-bound.ts";
import { exactInputLimit } from "../../../../src/tuner/check/exactness.ts";
import { testInputs } from "../../../../src/tuner/check/inputs.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { asWritten, type Computation } from "../../../../src/tuner/data/computation.ts";
import type { TuningTask } from "../../../../src/tuner/data/task.ts";
import { predict } from "../../../../src/tuner/search/predict.ts";
import { algorithmsFor } from "../../../../src/tuner/space/algorithm/index.ts";
import { f23, f43, type WinogradMatrices } from "../../../../src/tuner/space/algorithm/winograd/matrices.ts";
import { amplification } from "../../../../src/tuner/space/algorithm/winograd/rounding.ts";
import { winograd2, winograd4 } from "../../../../src/tuner/space/algorithm/winograd.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { measurable } from "../../../../src/tuner/workbench/measurable.ts";
import { referenceTask } from "../../../../src/tuner/workbench/reference.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";
import { referenceOf, wrongNest } from "../../../support/reference.ts";

const { conv2d, depthwiseConv2d } = opLibrary;
const { compute, defineOp, reduceAxis, select, sum, tensor } = authoring;

const taskOf = (op: Op, parameters = {}): TuningTask => ({
  op: instantiate(op, parameters, "conv"),
  target: frozenTargets.avx2,
  numerics: "fast",
  threads: 1,
});
const sizes = { H: 7, W: 6, C: 8, F: 8 };

/** Names of the algorithms beside the direct one. */
const others = (task: TuningTask): readonly (string | null)[] =>
  algorithmsFor(task)
    .map(({ name }) => name)
    .filter((name) => name?.includes("winograd"));

/** A convolution whose image is read under a condition of the caller's. */
const guardedBy = (condition: (iy: authoring.Expr<"i32">, ix: authoring.Expr<"i32">) => authoring.Expr<"bool">): Op =>
  defineOp(sizes, ({ H, W, C, F }) => {
    const image = tensor("image", [H, W, C], "f32");
    const filter = tensor("filter", [3, 3, C, F], "f32");
    const [ry, rx, rc] = [reduceAxis("ry", 3), reduceAxis("rx", 3), reduceAxis("rc", C)];
    return compute("out", [H - 1, W - 1, F], (y, x, f) => {
      const [iy, ix] = [y.add(ry).sub(1), x.add(rx).sub(1)];
      const inside = condition(iy, ix).and(iy.ge(0)).and(ix.ge(0));
      return sum(select(inside, image(iy, ix, rc), 0).mul(filter(ry, rx, rc, f)), [ry, rx, rc]);
    });
  });

describe("which convolutions", () => {
  test.each<[string, Op]>([
    ["two tiles of 4×4 an axis", conv2d({ H: 7, W: 7, C: 8, F: 8, padding: 1 })],
    [
      "of a batch, with an epilogue",
      conv2d({ ...sizes, N: 2, padding: 1 }, { bias: true, residual: true, activation: "silu" }),
    ],
    ["as a user writes it", conv2dFixture],
    ["as many channels as taps", conv2d({ ...sizes, C: 9, padding: 1 })],
    ["four rows of tiles", conv2d({ H: 18, W: 10, C: 32, F: 32 })],
  ])("both: %s", (_, op) => {
    expect(others(taskOf(op))).toEqual(["winograd F(2,3)", "winograd F(4,3)"]);
  });

  test.each<[string, Op]>([
    ["the library's", conv2d(sizes)],
    ["padded", conv2d({ ...sizes, padding: 1 })],
    ["guarded only where it leaves the image", guardedBy((iy) => iy.ge(0))],
    ["6×6 results: of four tiles of 4×4 too much is surplus", conv2d({ ...sizes, H: 6, padding: 1 })],
  ])("F(2,3): %s", (_, op) => {
    expect(others(taskOf(op))).toEqual(["winograd F(2,3)"]);
  });

  test.each<[string, Op]>([
    ["stride 2", conv2d({ ...sizes, stride: 2, padding: 1 })],
    ["dilation 2", conv2d({ ...sizes, dilation: 2 })],
    ["5×5", conv2d({ ...sizes, KH: 5, KW: 5, padding: 2 })],
    ["1×3", conv2d({ ...sizes, KH: 1 })],
    ["bf16", conv2d({ ...sizes, dtype: "bf16" })],
    ["i8", conv2d({ ...sizes, dtype: "i8" })],
    ["few channels", conv2d({ ...sizes, C: 3, padding: 1 })],
    ["one tile", conv2d({ ...sizes, H: 4, W: 4 })],
    ["one column of results, half of each tile surplus", conv2d({ ...sizes, W: 3 })],
    ["depthwise", depthwiseConv2d({ H: 7, W: 6, C: 8, padding: 1 })],
    ["reads left out for another reason", guardedBy((iy) => iy.lt(5))],
  ])("not %s", (_, op) => {
    expect(others(taskOf(op))).toEqual([]);
  });

  test("not where numerics are strict", () => {
    expect(others({ ...taskOf(conv2d(sizes)), numerics: "strict" })).toEqual([]);
  });
});

/** Large enough for F(4,3). */
const large = (epilogue: Parameters<typeof conv2d>[1]): Op => conv2d({ H: 7, W: 8, C: 8, F: 8, padding: 1 }, epilogue);

/** The sum in f64. */
function exactConvolution({ inputs }: ComputeDef, values: ReadonlyMap<string, Float32Array>): Float64Array {
  const [image, filter] = inputs.map(({ name, shape }) => ({ shape, values: values.get(name)! }));
  const [H, W, C, F] = [...image!.shape.slice(-3), filter!.shape[3]!] as [number, number, number, number];
  const out = new Float64Array(H * W * F);
  for (let at = 0; at < out.length; at++) {
    const [y, x, f] = [Math.floor(at / (W * F)), Math.floor(at / F) % W, at % F];
    for (let tap = 0; tap < 9 * C; tap++) {
      const [iy, ix, c] = [y + Math.floor(tap / (3 * C)) - 1, x + (Math.floor(tap / C) % 3) - 1, tap % C];
      if (iy >= 0 && ix >= 0 && iy < H && ix < W)
        out[at]! += image!.values[(iy * W + ix) * C + c]! * filter!.values[tap * F + f]!;
    }
  }
  return out;
}

const largestError = (exact: Float64Array, found: Float32Array): number =>
  exact.reduce((most, it, at) => Math.max(most, Math.abs(it - found[at]!)), 0) /
  exact.reduce((most, it) => Math.max(most, Math.abs(it)), 0);

/** All shapes of tiles: even and odd results, with and without a border, one and several images, epilogues. */
const shapes: readonly [string, Op][] = [
  ["6×6 → 4×4", conv2d({ H: 6, W: 6, C: 8, F: 8 })],
  ["7×6 → 5×4", conv2d({ H: 7, W: 6, C: 11, F: 8 })],
  ["5×7, padding 1", conv2d({ H: 5, W: 7, C: 8, F: 13, padding: 1 })],
  ["3×4, padding 2", conv2d({ H: 3, W: 4, C: 8, F: 8, padding: 2 })],
  [
    "two of 4×5, padding 1, bias and relu",
    conv2d({ N: 2, H: 4, W: 5, C: 8, F: 8, padding: 1 }, { bias: true, activation: "relu" }),
  ],
  [
    "6×5, padding 1, scale, bias and residual",
    conv2d({ H: 6, W: 5, C: 8, F: 8, padding: 1 }, { scale: true, bias: true, residual: true }),
  ],
  ["guarded only where it leaves the image", guardedBy((iy) => iy.ge(0))],
];

/** Tiles of 4×4 results: whole, of one to three rows or columns; borders of both sizes, epilogues. */
const largeShapes: readonly [string, Op][] = [
  ["10×10 → 8×8", conv2d({ H: 10, W: 10, C: 8, F: 8 })],
  ["7×8, padding 1, bias and relu", large({ bias: true, activation: "relu" })],
  [
    "two of 8×7, padding 1, scale, bias and residual",
    conv2d({ N: 2, H: 8, W: 7, C: 8, F: 8, padding: 1 }, { scale: true, bias: true, residual: true }),
  ],
  ["11×9, padding 2, 13 channels to 9", conv2d({ H: 11, W: 9, C: 13, F: 9, padding: 2 })],
];

test.each<[string, WinogradMatrices]>([
  ["F(2,3)", f23],
  ["F(4,3)", f43],
])("the matrices of %s: result i is the sum of window element j times image element i + j", (_, matrices) => {
  const { results, outputs, filter, image } = matrices;
  for (let i = 0; i < results; i++)
    for (let j = 0; j < 3; j++)
      for (let k = 0; k < results + 2; k++) {
        const sum = filter.reduce((total, row, a) => total + outputs[i]![a]! * row[j]! * image[a]![k]!, 0);
        expect(sum).toBeCloseTo(k === i + j ? 1 : 0, 14);
      }
});

describe("the definition", () => {
  test.each(shapes)("of %s gives the reference's integers", (_, op) => {
    const task = taskOf(op);
    const other = winograd2.rewrite(task.op);
    const plan = checkPlan(task.op, [other]);
    expect(plan.bounds).toEqual([{ kind: "exact" }]);
    const arrays = testInputs(task.op.inputs, plan.values, createRng(1).unit);
    const inputs = Object.fromEntries(task.op.inputs.map(({ name }, at) => [name, arrays[at]!]));
    expect(evaluate(other.op, inputs)).toEqual(evaluate(task.op, inputs));
  });

  test.each(largeShapes)("of %s by F(4,3) gives the reference's numbers within its bound", (_, op) => {
    const task = taskOf(op);
    const other = winograd4.rewrite(task.op);
    const reference = referenceOf(task.op, createRng(1), checkPlan(task.op, [other]));
    expect(reference.expected[0]!.bound.kind).toBe("within");
    expect(wrongNest(reference, fromCompute(other.op))).toBeNull();
  });

  test("has the operator's name, inputs and results", () => {
    const { op } = taskOf(conv2d({ ...sizes, padding: 1 }, { bias: true }));
    const { op: other } = winograd2.rewrite(op);
    expect([other.name, other.inputs, other.outputs]).toEqual([op.name, op.inputs, op.outputs]);
    expect(other.stages.map(({ name }) => name)).toEqual([
      "out.sum.filter.rows",
      "out.sum.filter",
      "out.sum.padded",
      "out.sum.tiles.rows",
      "out.sum.tiles",
      "out.sum.products",
      "out.sum.rows",
      "out",
    ]);
  });

  test("is not padded where no tile leaves the image", () => {
    const names = (op: Op): readonly string[] =>
      winograd2.rewrite(instantiate(op, {}, "conv")).op.stages.map(({ name }) => name);
    expect(names(conv2d({ ...sizes, H: 6 }))).not.toContain("out.padded");
    expect(names(conv2d({ ...sizes, H: 7 }))).toContain("out.padded");
  });
});

describe("how it is checked", () => {
  const limits = (C: number): readonly (number | null)[] => {
    const { op } = taskOf(conv2d({ ...sizes, C, padding: 1 }));
    return [exactInputLimit([op]), exactInputLimit([op, winograd2.rewrite(op).op])];
  };

  test("quarters take two bits, and the transforms grow what they add up", () => {
    // 81 · 4 quarters · C · L² ≤ 2²⁴, where the direct sum is 9 · C · L².
    expect(limits(64)).toEqual([8, 8]);
    expect(limits(1024)).toEqual([8, 4]);
    expect(limits(4096)).toEqual([8, 2]);
  });

  test("integers too where F(4,3) rounds them, within its bound", () => {
    const task = taskOf(large({}));
    const { values, bounds } = checkPlan(task.op, algorithmsFor(task));
    expect(values).toEqual({ kind: "integers", limit: 8 });
    expect(bounds).toEqual(roundingBounds(task.op, winograd4.rewrite(task.op).roundings));
    expect(checkPlan(task.op, [winograd2.rewrite(task.op)]).bounds).toEqual([{ kind: "exact" }]);
  });
});

describe("a candidate is held to the bound of its own algorithm", () => {
  const task = taskOf(large({}));
  const space = generateSpace(task);
  const boundsOf = (isWanted: (name: string) => boolean): HasBounds["bounds"] => {
    const one = { ...space, templates: space.templates.filter(({ name }) => isWanted(name)) };
    const candidate = predict(one)!;
    const source = measurable(task, space, candidate);
    return "reason" in source ? [] : source.bounds;
  };

  test("F(4,3) to one that rounds, F(2,3) to equality on integers, the direct sum to the task's", () => {
    const [expected] = referenceTask(task).expected;
    expect(expected!.bound).toEqual({ kind: "exact" });
    expect(boundsOf((name) => !name.startsWith("winograd"))).toBe(undefined);
    expect(boundsOf((name) => name.startsWith("winograd F(2,3)"))).toEqual([{ kind: "exact" }]);
    expect(boundsOf((name) => name.startsWith("winograd F(4,3)"))).toEqual(
      roundingBounds(task.op, winograd4.rewrite(task.op).roundings),
    );
  });
});

describe("the bound of an algorithm", () => {
  const relative = (op: ComputeDef, { roundings }: Computation): number => worstRelativeError(op, roundings);
  const ulp = 2 ** -23;

  test("grows with the channels alone, times what the transforms amplify", () => {
    expect(amplification(f23)).toBeCloseTo(5 / 3, 10);
    expect(amplification(f43)).toBeCloseTo(57 / 8, 10);
    for (const C of [8, 64, 512]) {
      const { op } = taskOf(conv2d({ H: 16, W: 16, C, F: 8, padding: 1 }));
      // The product and the sum of 9 C; 10 and 30 roundings in the transforms.
      expect(relative(op, asWritten(op)) / ulp).toBe(9 * C + 1);
      expect(relative(op, winograd2.rewrite(op)) / ulp).toBe(Math.ceil((5 / 3) * (C + 10)) + 1);
      expect(relative(op, winograd4.rewrite(op)) / ulp).toBe(Math.ceil((57 / 8) * (C + 30)) + 1);
    }
  });

  test("what follows on the sum magnifies it as it does the direct one", () => {
    const bounds = (activation: "sigmoid" | "relu"): number => {
      const { op } = taskOf(large({ bias: true, activation }));
      return relative(op, winograd4.rewrite(op)) / ulp;
    };
    const sum = Math.ceil((57 / 8) * (8 + 30)) + 1;
    // One rounding of the bias; sigmoid adds 4 ulp of its own to 32 times what comes in.
    expect(bounds("relu")).toBe(sum + 1);
    expect(bounds("sigmoid")).toBe(32 * (sum + 1) + 4);
  });

  const kinds: readonly [string, (uniform: number, isImage: boolean) => number][] = [
    ["uniform", (u) => u],
    ["an image that a relu left", (u, isImage) => (isImage ? Math.max(0, u) : u)],
    ["small integers", (u) => Math.round(8 * u)],
    ["few large values", (u) => Math.sign(u) * -Math.log(1 - Math.abs(u))],
  ];

  test.each(kinds)("holds, and not by far, against exact arithmetic: %s", (_, value) => {
    for (const C of [8, 64]) {
      const { op } = taskOf(conv2d({ H: 8, W: 8, C, F: 8, padding: 1 }));
      const rng = createRng(C);
      const values = op.inputs.map(({ name, shape }): [string, Float32Array] => {
        const length = shape.reduce((product, extent) => product * extent, 1);
        return [name, Float32Array.from({ length }, () => value(2 * rng.unit() - 1, name === "image"))];
      });
      const exact = exactConvolution(op, new Map(values));
      for (const rule of [winograd2, winograd4]) {
        const computation = rule.rewrite(op);
        const error = largestError(exact, evaluate(computation.op, Object.fromEntries(values)).out as Float32Array);
        expect(error).toBeLessThan(relative(op, computation));
        if (error > 0) expect(error).toBeGreaterThan(relative(op, computation) / 200);
      }
    }
  });
});

test("a transform is two short stages: F(4,3) of a layer with an epilogue is small code", () => {
  const { op } = taskOf(conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }, { bias: true, activation: "relu" }));
  let nodes = 0;
  const count = (): void => {
    nodes += 1;
  };
  walkStmt(fromCompute(winograd4.rewrite(op).op).body, count, count);
  expect(nodes).toBeLessThan(1500);
});

test("templates begin with the algorithm, and schedule its definition", () => {
  const task = taskOf(conv2d({ ...sizes, padding: 1 }, { bias: true, activation: "relu" }));
  const { templates } = generateSpace(task);
  expect(templates.map(({ name }) => name)).toEqual([
    "out.sum tiled",
    "out with out.sum in registers",
    "winograd F(2,3): out.sum.products tiled",
  ]);
  expect(templates.map(({ op }) => op === task.op)).toEqual([true, true, false]);
  const both = generateSpace(taskOf(large({ bias: true, activation: "relu" }))).templates;
  expect(both.map(({ name }) => name).slice(2)).toEqual([
    "winograd F(2,3): out.sum.products tiled",
    "winograd F(4,3): out.sum.products tiled",
  ]);
  const { templates: blocked } = generateSpace({ ...task, target: { ...targets.avx2, l2Bytes: 2 ** 12 } });
  expect(blocked.map(({ name }) => name).at(-1)).toBe("winograd F(2,3): out by rows; out.sum.products tiled");
});

describe("schedules compute what the reference does", () => {
  /** All of it fits half of this: the blocks are of several rows. */
  const wide: CpuTarget = { ...frozenTargets.avx2, l2Bytes: 2 ** 16 };
  /** One row at a time. */
  const narrow: CpuTarget = { ...frozenTargets.avx2, l2Bytes: 2 ** 12 };

  test.each(
    [...shapes, ...largeShapes.slice(0, 2)].flatMap(([name, op]) =>
      [wide, narrow].map((target) => [name, target.l2Bytes, op, target] as const),
    ),
  )("of %s, with an L2 of %d bytes", (_, __, op, target) => {
    const task = { ...taskOf(op), target };
    const rng = createRng(1);
    const templates = generateSpace(task).templates.filter(({ name }) => name.startsWith("winograd"));
    expect(templates.length).toBeGreaterThan(target === narrow ? 1 : 0);
    for (const template of templates) {
      const { op: definition, model, instructions } = template;
      const reference = referenceOf(task.op, rng, checkPlan(task.op, [template]));
      const result = sample(compileModel(model), rng);
      if (result.kind !== "found") throw new Error(result.kind);
      const scheduled = replay(fromCompute(definition), instantiateTemplate(instructions, result.assignment));
      if (scheduled.kind !== "ok") throw new Error(scheduled.diagnostic.message);
      expect(wrongNest(reference, scheduled.nest)).toBeNull();
    }
  });
});
