// Winograd convolution: which operators it takes, that its definition gives the reference's numbers, and that its
// schedules do.

import { describe, expect, test } from "vitest";
import conv2dFixture from "../../../../fixtures/ops/conv2d.op.ts";
import {
  authoring,
  type ComputeDef,
  evaluate,
  fromCompute,
  instantiate,
  instantiateTemplate,
  type Op,
  opLibrary,
  replay,
  type Target,
} from "../../../../src/compiler/index.ts";
import { compileModel } from "../../../../src/tuner/constraint/compile.ts";
import { sample } from "../../../../src/tuner/constraint/sample.ts";
import { checkPlan } from "../../../../src/tuner/measure/check-output.ts";
import { roundingBounds } from "../../../../src/tuner/measure/error-bound.ts";
import { exactInputLimit } from "../../../../src/tuner/measure/exactness.ts";
import { testInputs } from "../../../../src/tuner/measure/inputs.ts";
import { createRng } from "../../../../src/tuner/rng.ts";
import { algorithmsFor } from "../../../../src/tuner/space/algorithm/index.ts";
import { winograd2 } from "../../../../src/tuner/space/algorithm/winograd.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import type { TuningTask } from "../../../../src/tuner/task.ts";
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
    .slice(1)
    .map(({ name }) => name);

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
    ["the library's", conv2d(sizes)],
    ["padded", conv2d({ ...sizes, padding: 1 })],
    [
      "of a batch, with an epilogue",
      conv2d({ ...sizes, N: 2, padding: 1 }, { bias: true, residual: true, activation: "silu" }),
    ],
    ["as a user writes it", conv2dFixture],
    ["as many channels as taps", conv2d({ ...sizes, C: 9, padding: 1 })],
    ["guarded only where it leaves the image", guardedBy((iy) => iy.ge(0))],
  ])("%s", (_, op) => {
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
    ["depthwise", depthwiseConv2d({ H: 7, W: 6, C: 8, padding: 1 })],
    ["reads left out for another reason", guardedBy((iy) => iy.lt(5))],
  ])("not %s", (_, op) => {
    expect(others(taskOf(op))).toEqual([]);
  });

  test("not where numerics are strict", () => {
    expect(others({ ...taskOf(conv2d(sizes)), numerics: "strict" })).toEqual([]);
  });
});

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
    "5×5, padding 1, scale, bias and residual",
    conv2d({ H: 5, W: 5, C: 8, F: 8, padding: 1 }, { scale: true, bias: true, residual: true }),
  ],
  ["guarded only where it leaves the image", guardedBy((iy) => iy.ge(0))],
];

describe("the definition", () => {
  test.each(shapes)("of %s gives the reference's integers", (_, op) => {
    const task = taskOf(op);
    const other = winograd2.rewrite(task.op);
    const plan = checkPlan(task.op, [task.op, other]);
    expect(plan.bounds).toEqual([{ kind: "exact" }]);
    const arrays = testInputs(task.op.inputs, plan.values, createRng(1).unit);
    const inputs = Object.fromEntries(task.op.inputs.map(({ name }, at) => [name, arrays[at]!]));
    expect(evaluate(other, inputs)).toEqual(evaluate(task.op, inputs));
  });

  test("has the operator's name, inputs and results", () => {
    const { op } = taskOf(conv2d({ ...sizes, padding: 1 }, { bias: true }));
    const other = winograd2.rewrite(op);
    expect([other.name, other.inputs, other.outputs]).toEqual([op.name, op.inputs, op.outputs]);
    expect(other.stages.map(({ name }) => name)).toEqual([
      "out.sum.filter",
      "out.sum.padded",
      "out.sum.tiles",
      "out.sum.products",
      "out",
    ]);
  });

  test("is not padded where no tile leaves the image", () => {
    const names = (op: Op): readonly string[] =>
      winograd2.rewrite(instantiate(op, {}, "conv")).stages.map(({ name }) => name);
    expect(names(conv2d({ ...sizes, H: 6 }))).not.toContain("out.padded");
    expect(names(conv2d({ ...sizes, H: 7 }))).toContain("out.padded");
  });
});

describe("how it is checked", () => {
  const limits = (C: number): readonly (number | null)[] => {
    const task = taskOf(conv2d({ ...sizes, C, padding: 1 }));
    const definitions = algorithmsFor(task).map(({ op }) => op);
    return [exactInputLimit(definitions.slice(0, 1)), exactInputLimit(definitions)];
  };

  test("quarters take two bits, and the transforms grow what they add up", () => {
    // 81 · 4 quarters · C · L² ≤ 2²⁴, where the direct sum is 9 · C · L².
    expect(limits(64)).toEqual([8, 8]);
    expect(limits(1024)).toEqual([8, 4]);
    expect(limits(4096)).toEqual([8, 2]);
  });

  test("where it rounds the bound holds both", () => {
    const { op } = taskOf(conv2d({ ...sizes, padding: 1 }, { bias: true, activation: "sigmoid" }));
    const both = [op, winograd2.rewrite(op)];
    const relative = (definitions: readonly ComputeDef[]): number => {
      const [bound] = roundingBounds(definitions);
      return bound?.kind === "within" ? bound.relative : 0;
    };
    expect(relative(both)).toBe(Math.max(relative(both.slice(0, 1)), relative(both.slice(1))));
  });
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
  const { templates: blocked } = generateSpace({ ...task, target: { ...task.target, l2Bytes: 2 ** 12 } });
  expect(blocked.map(({ name }) => name).at(-1)).toBe("winograd F(2,3): out by rows; out.sum.products tiled");
});

describe("schedules compute what the reference does", () => {
  /** All of it fits half of this: the blocks are of several rows. */
  const wide: Target = { ...frozenTargets.avx2, l2Bytes: 2 ** 16 };
  /** One row at a time. */
  const narrow: Target = { ...frozenTargets.avx2, l2Bytes: 2 ** 12 };

  test.each(
    shapes.flatMap(([name, op]) => [wide, narrow].map((target) => [name, target.l2Bytes, op, target] as const)),
  )("of %s, with an L2 of %d bytes", (_, __, op, target) => {
    const task = { ...taskOf(op), target };
    const rng = createRng(1);
    const templates = generateSpace(task).templates.filter(({ name }) => name.startsWith("winograd"));
    expect(templates.length).toBeGreaterThan(target === narrow ? 1 : 0);
    const reference = referenceOf(task.op, rng, checkPlan(task.op, [task.op, templates[0]!.op]));
    for (const { op: definition, model, instructions } of templates.flatMap((it) => [it, it])) {
      const result = sample(compileModel(model), rng);
      if (result.kind !== "found") throw new Error(result.kind);
      const scheduled = replay(fromCompute(definition), instantiateTemplate(instructions, result.assignment));
      if (scheduled.kind !== "ok") throw new Error(scheduled.diagnostic.message);
      expect(wrongNest(reference, scheduled.nest)).toBeNull();
    }
  });
});
