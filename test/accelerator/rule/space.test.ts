// The space of an operator: which stages the matrix unit takes, and that all schedules of it are exact on the simulator.

import { describe, expect, test } from "vitest";
import {
  type ComputeDef,
  instantiate,
  instantiateTemplate,
  opLibrary,
  printTrace,
} from "../../../src/compiler/index.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import { explainSpace } from "../../../src/tuner/space/explain-space.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { referenceOf } from "../../support/reference.ts";
import { type Machine, vta } from "../machine.ts";
import { programOf, runProgram } from "../support/run-op.ts";
import { backend } from "../support/use-vta.ts";
import { vtaTarget } from "../target.ts";
import { onMatrixUnit } from "./on-matrix-unit.ts";

const { batchMatmul, conv2d, gemm } = opLibrary;
const dtype = "i8" as const;

const spaceOf = (op: ComputeDef, machine: Machine = vta): GeneratedSpace =>
  generateSpace(
    { op, target: vtaTarget, numerics: "fast", threads: 1 },
    machine === vta ? backend.space.rules : [onMatrixUnit(machine)],
    ["generated"],
    backend.space.algorithms,
  );

const names = (op: ComputeDef): readonly string[] => spaceOf(op).templates.map(({ name }) => name);

describe("templates", () => {
  test.each([
    ["a product", gemm({ M: 20, N: 40, K: 37, dtype }), "C on the matrix unit"],
    [
      "bias and activation",
      gemm({ M: 8, N: 8, K: 16, dtype }, { bias: true, activation: "relu" }),
      "C with C.sum on the matrix unit",
    ],
    ["a convolution", conv2d({ H: 8, W: 8, C: 16, F: 8, padding: 1, dtype }), "out on the matrix unit"],
    ["other types", gemm({ M: 8, N: 8, K: 16 }), "plain"],
    [
      "padding beside a depth that is no multiple of 16",
      conv2d({ H: 8, W: 8, C: 3, F: 8, padding: 1, dtype }),
      "plain",
    ],
  ])("%s", (_, op, name) => {
    expect(names(instantiate(op, {}, "op"))).toEqual([name]);
  });

  test("an empty space says which scratchpad is too small", () => {
    const op = instantiate(conv2d({ H: 8, W: 8, C: 16, F: 16, dtype }), {}, "conv");
    expect(JSON.stringify(explainSpace(spaceOf(op, { ...vta, weights: 256 })))).toContain(
      "a block of filter fits 256 weights",
    );
  });
});

describe("schedules are exact", () => {
  test.each([
    ["padded", gemm({ M: 20, N: 40, K: 37, dtype }, { bias: true, activation: "relu" })],
    ["residual", gemm({ M: 33, N: 50, K: 64, dtype }, { residual: true, scale: true })],
    ["batches", batchMatmul({ batch: 3, M: 19, N: 33, K: 48, dtype })],
    ["strided", conv2d({ H: 10, W: 9, C: 32, F: 40, padding: 1, dtype, stride: 2 })],
    ["biased", conv2d({ H: 8, W: 8, C: 16, F: 32, padding: 1, dtype }, { bias: true, activation: "relu" })],
  ])("%s", (name, library) => {
    const op = instantiate(library, {}, name);
    const rng = createRng(1);
    const reference = referenceOf(op, rng);
    for (const { model, instructions } of spaceOf(op).templates) {
      const compiled = compileModel(model);
      for (let drawn = 0; drawn < 4; drawn++) {
        const point = sample(compiled, rng);
        if (point.kind !== "found") throw new Error(`no point: ${point.kind}`);
        const trace = instantiateTemplate(instructions, point.assignment);
        expect(runProgram(programOf(op, trace), reference).mistake, printTrace(trace)).toBeNull();
      }
    }
  });
});
