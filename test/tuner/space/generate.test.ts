// The spaces of the four operators of the oracle chain: their templates by name, and that what is drawn from them is
// legal.

import { describe, expect, test } from "vitest";
import conv2d from "../../../fixtures/ops/conv2d.op.ts";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmBiasRelu from "../../../fixtures/ops/gemm-bias-relu.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import softmax from "../../../fixtures/ops/softmax.op.ts";
import statistics from "../../../fixtures/ops/statistics.op.ts";
import {
  type Assignment,
  authoring,
  type CpuTarget,
  fromCompute,
  instantiate,
  instantiateTemplate,
  type Op,
  printDiagnostic,
  printTrace,
  replay,
} from "../../../src/compiler/index.ts";
import { check } from "../../../src/tuner/constraint/check.ts";
import type { Term } from "../../../src/tuner/constraint/constraint.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { explainSpace } from "../../../src/tuner/space/explain-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { frozenTargets } from "../../support/frozen-targets.ts";
import { inTurn } from "../../support/long.ts";

const ops = {
  gemm,
  "gemm-bias-relu": gemmBiasRelu,
  conv2d,
  softmax,
  "gemm-exp-gemm": gemmExpGemm,
  statistics,
} as const;
type Name = keyof typeof ops;

const taskOf = (name: Name, target: CpuTarget, parameters = {}): TuningTask => ({
  op: instantiate(ops[name], parameters, name.replaceAll("-", "_")),
  target,
  numerics: "fast",
  threads: 1,
});

/** Each template with the choices that it leaves to the search: name, and what decides about its shape. */
const templatesOf = (task: TuningTask): readonly string[] =>
  generateSpace(task).templates.map(({ name, structure }) => [name, ...structure].join(" | "));

describe("templates, and what decides about their shape", () => {
  test("gemm", () => {
    expect(templatesOf(taskOf("gemm", frozenTargets.avx2))).toEqual(["C tiled | C.order | C.pack.A | C.pack.B"]);
  });

  test("gemm with bias and relu: summed first, or finished tile by tile", () => {
    expect(templatesOf(taskOf("gemm-bias-relu", frozenTargets.avx2))).toEqual([
      "C.sum tiled | C.sum.order | C.sum.pack.A | C.sum.pack.B",
      "C with C.sum in registers | C.sum.order | C.sum.pack.A | C.sum.pack.B",
    ]);
  });

  test("a skinny gemm has the same choices", () => {
    const skinny = taskOf("gemm", frozenTargets.avx2, { M: 4, N: 1024 });
    expect(templatesOf(skinny)).toEqual(["C tiled | C.order | C.pack.A | C.pack.B"]);
  });

  test("conv2d: the padded image is always packed", () => {
    const [direct] = templatesOf(taskOf("conv2d", frozenTargets.avx2));
    expect(direct).toBe("out tiled | out.order | out.pack.filter");
  });

  test("softmax", () => {
    expect(templatesOf(taskOf("softmax", frozenTargets.avx2))).toMatchInlineSnapshot(`
      [
        "Y.sum: vectors over k, under Y.i; Y.sum: its elements shared with Y; Y.max: vectors over k, under Y.i",
      ]
    `);
  });

  test("gemm-exp-gemm: exp on the first product's registers or on its own; one product after the other or by rows", () => {
    const packs = "F.order | F.pack.D | F.pack.E | C.order | C.pack.A | C.pack.B";
    expect(templatesOf(taskOf("gemm-exp-gemm", frozenTargets.avx2))).toEqual([
      `F tiled; C tiled | ${packs}`,
      `F tiled; D with C in registers | ${packs}`,
      `C to F in blocks of i; F tiled; C tiled | ${packs}`,
      `C to F in blocks of i; F tiled; D with C in registers | ${packs}`,
    ]);
  });

  test("they are the same for every target", () => {
    for (const name of Object.keys(ops) as Name[])
      for (const target of Object.values(frozenTargets))
        expect(templatesOf(taskOf(name, target))).toEqual(templatesOf(taskOf(name, frozenTargets.avx2)));
  });
});

const tasks = (Object.keys(ops) as Name[]).flatMap((name) =>
  Object.values(frozenTargets).map((target) => [name, target.name, taskOf(name, target)] as const),
);

inTurn(2).each(tasks)("every template of %s for %s has schedules, and they are legal", (_, __, task) => {
  const rng = createRng(1);
  for (const template of generateSpace(task).templates) {
    const naive = fromCompute(template.op);
    const compiled = compileModel(template.model);
    for (let drawn = 0; drawn < 12; drawn++) {
      const result = sample(compiled, rng);
      if (result.kind !== "found") throw new Error(`${template.name}: ${result.kind}`);
      expect(check(template.model, result.assignment)).toEqual([]);
      const trace = instantiateTemplate(template.instructions, result.assignment);
      const scheduled = replay(naive, trace);
      if (scheduled.kind === "illegal") {
        throw new Error(`${template.name}\n${printTrace(trace)}\n${printDiagnostic(scheduled.diagnostic)}`);
      }
    }
  }
});

/** Derived variables by arithmetic alone, their domains not looked at. */
function byArithmetic({ constraints }: Template["model"], keys: Assignment): Readonly<Record<string, number>> {
  const values: Record<string, number> = { ...keys };
  const valueOfTerm = (term: Term): number => (typeof term === "number" ? term : values[term]!);
  for (const constraint of constraints) {
    if (constraint.role !== "definition" || !("result" in constraint) || typeof constraint.result !== "string")
      continue;
    if (constraint.kind === "ceil-div")
      values[constraint.result] = Math.ceil(valueOfTerm(constraint.numerator) / valueOfTerm(constraint.divisor));
    if (constraint.result in values) continue;
    if (constraint.kind === "sum")
      values[constraint.result] = constraint.terms.reduce(
        (total, { coefficient, term }) => total + coefficient * valueOfTerm(term),
        constraint.offset,
      );
    if (constraint.kind !== "product") continue;
    values[constraint.result] = constraint.factors.reduce<number>((total, factor) => total * valueOfTerm(factor), 1);
  }
  return values;
}

test.each([[{ M: 512, N: 512, K: 512 }], [{ M: 1056, N: 1024, K: 1024 }], [{ M: 997, N: 1009, K: 1013 }]])(
  "no domain of a derived variable is too small: %o",
  (shape) => {
    const [template] = generateSpace(taskOf("gemm", frozenTargets.avx512, shape)).templates;
    const { variables } = template!.model;
    const rng = createRng(1);
    const keys = variables.filter(({ key }) => key);
    for (let drawn = 0; drawn < 300; drawn++) {
      const drawnKeys = keys.map(({ name, domain }) => [name, rng.pick(domain as readonly number[])] as const);
      const values = byArithmetic(template!.model, Object.fromEntries(drawnKeys));
      // Blocks of k have chosen sizes: others are no solutions.
      if (!domainOf(template!, "C.k.block").includes(values["C.k.block"]!)) continue;
      for (const { name, domain } of variables.filter((it) => it.name.endsWith("-bytes"))) {
        const value = values[name]!;
        const isIn = "from" in domain ? value >= domain.from && value <= domain.to : domain.includes(value);
        expect(isIn, `${name} = ${value}`).toBe(true);
      }
    }
  },
);

const domainOf = ({ model }: Template, name: string): readonly number[] =>
  model.variables.find((it) => it.name === name)!.domain as readonly number[];

test("the same task gives the same space", () => {
  const space = (): string => JSON.stringify(generateSpace(taskOf("conv2d", frozenTargets.avx512)));
  expect(space()).toBe(space());
});

test("strict numerics: no reduce axis is cut around another", () => {
  const task: TuningTask = { ...taskOf("conv2d", frozenTargets.avx2), numerics: "strict" };
  const rng = createRng(1);
  for (const template of generateSpace(task).templates) {
    const result = sample(compileModel(template.model), rng);
    if (result.kind !== "found") throw new Error(`${template.name}: ${result.kind}`);
    const trace = instantiateTemplate(template.instructions, result.assignment);
    const loops = trace.flatMap((instruction) => (instruction.kind === "reorder" ? instruction.loops : []));
    expect(loops.filter((loop) => loop.startsWith("out.r"))).toEqual([
      "out.ry",
      "out.rx",
      "out.rc.0",
      "out.rc.1",
      "out.rc.2",
    ]);
  }
});

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;

/** y[f] = sum of x[a, b, c, f]. */
const sumOfThree = defineOp({ A: 8, B: 8, C: 8, F: 32 }, ({ A, B, C, F }) => {
  const x = tensor("x", [A, B, C, F], "f32");
  const axes = [reduceAxis("a", A), reduceAxis("b", B), reduceAxis("c", C)] as const;
  return compute("y", [F], (f) => sum(x(...axes, f), [...axes]));
});

describe.each(["fast", "strict"] as const)("however long a reduction is, %s numerics", (numerics) => {
  test.each([
    ["conv2d, 127 channels", conv2d, { H: 5, W: 5, C: 127, F: 64 }],
    ["conv2d, 1024 channels", conv2d, { H: 5, W: 5, C: 1024, F: 64 }],
    ["a sum over three long axes", sumOfThree, { A: 64, B: 61, C: 67 }],
    ["a sum over two long axes", sumOfThree, { A: 2, B: 61, C: 37 }],
    ["gemm", gemm, { M: 3, N: 64, K: 100_003 }],
  ])("%s", (_, op, parameters) => {
    for (const target of Object.values(frozenTargets)) {
      const task = { op: instantiate(op as Op, parameters, "long"), target, numerics, threads: 1 };
      for (const template of generateSpace(task).templates) {
        expect(sample(compileModel(template.model), createRng(1)).kind, `${target.name}: ${template.name}`).toBe(
          "found",
        );
      }
    }
  });
});

describe("a space without a schedule says why", () => {
  test("two vector registers", () => {
    const space = generateSpace(taskOf("gemm", { ...frozenTargets.avx2, vectorRegisters: 2 }));
    expect(explainSpace(space)).toMatchInlineSnapshot(`
      {
        "detail": "no schedule satisfies all of these:
        - the accumulators i × j and their operands fit 2 vector registers",
        "message": "no schedule satisfies all limits",
      }
    `);
  });

  test("a cache of half a vector", () => {
    const space = generateSpace(taskOf("conv2d", { ...frozenTargets.avx2, l2Bytes: 16 }));
    expect(explainSpace(space)).toMatchInlineSnapshot(`
      {
        "detail": ""out tiled": no schedule satisfies all of these:
        - a panel of image (y × x × ry × rx × rc) and a panel of filter (f × ry × rx × rc) fit 16 bytes of L2 together
      "winograd F(2,3): out.products tiled" and 3 more: no schedule satisfies all of these:
        - a panel of out.tiles (a × b × ty × tx × rc) and a panel of out.filter (a × b × f × rc) fit 16 bytes of L2 together",
        "message": "no schedule satisfies all limits",
      }
    `);
  });

  test("no rule", () => {
    expect(explainSpace({ templates: [] })).toEqual({
      message: "no rule knows how to schedule this operator",
      detail: null,
    });
  });
});
