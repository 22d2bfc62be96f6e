import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import conv2d from "../../../fixtures/ops/conv2d.op.ts";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import softmax from "../../../fixtures/ops/softmax.op.ts";
import { evaluate } from "../../../src/compiler/expr/evaluate.ts";
import { authoring, type ComputeDef, type Op, opLibrary, type TypedArray } from "../../../src/compiler/index.ts";
import { instantiate } from "../../../src/compiler/instance/instantiate.ts";
import { expectOutput, mismatch } from "../../../src/native/runner/compare.ts";
import { checkPlan } from "../../../src/tuner/check/check-output.ts";
import { testInputs } from "../../../src/tuner/check/inputs.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;

const inputsOf = (op: ComputeDef, seed: number): Record<string, TypedArray> => {
  const arrays = testInputs(op.inputs, checkPlan(op).values, createRng(seed).unit);
  return Object.fromEntries(op.inputs.map(({ name }, index) => [name, arrays[index]!]));
};

/** The stages with every sum taken backwards: as exact as forwards, or rounded otherwise. */
function backwards(op: ComputeDef): ComputeDef {
  const flip = (value: unknown, names: ReadonlyMap<string, number>): unknown => {
    if (Array.isArray(value)) return value.map((item) => flip(item, names));
    if (typeof value !== "object" || value === null) return value;
    if ("kind" in value && value.kind === "axis" && "name" in value && names.has(String(value.name))) {
      const last = { kind: "const", dtype: "i32", loc: null, value: names.get(String(value.name))! - 1 };
      return { kind: "binary", op: "sub", dtype: "i32", loc: null, left: last, right: value };
    }
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, flip(field, names)]));
  };
  const stages = op.stages.map((stage) => {
    const names = new Map(stage.reduce?.axes.map(({ name, extent }) => [name, extent]) ?? []);
    return { ...stage, body: flip(stage.body, names) as typeof stage.body };
  });
  return { ...op, stages };
}

/** Verdicts of the check on results that were summed in another order. */
function verdicts(op: ComputeDef, seed: number): (string | null)[] {
  const inputs = inputsOf(op, seed);
  const [expected, actual] = [evaluate(op, inputs), evaluate(backwards(op), inputs)];
  return op.outputs.map((name, index) => {
    const stage = op.stages.find((one) => one.name === name)!;
    const shape = stage.axes.map(({ extent }) => extent);
    const length = expected[name]!.length;
    const parameter = { name, dtype: stage.dtype, shape, length, role: "output" as const };
    return mismatch(expectOutput(parameter, expected[name]!, checkPlan(op).bounds[index]!), actual[name]!);
  });
}

describe("the plan of a check", () => {
  it("is integers and equality for sums of products", () => {
    const plan = checkPlan(instantiate(gemm, {}, "gemm"));
    expect(plan).toEqual({ values: { kind: "integers", limit: 8 }, bounds: [{ kind: "exact" }] });
    expect(checkPlan(instantiate(conv2d, {}, "conv")).bounds).toEqual([{ kind: "exact" }]);
  });

  it("takes smaller integers for longer sums, and fractions where none are small enough", () => {
    const values = (K: number) => checkPlan(instantiate(gemm, { M: 2, N: 2, K }, "gemm")).values;
    expect(values(2 ** 18)).toEqual({ kind: "integers", limit: 8 });
    expect(values(2 ** 20)).toEqual({ kind: "integers", limit: 4 });
    expect(values(2 ** 25).kind).toBe("reals");
  });

  it("has bytes of all values where sums of them stay exact, and no half floats are stored", () => {
    const valuesOf = (op: Op) => checkPlan(instantiate(op, {}, "op")).values;
    const small = { kind: "integers", limit: 8 };
    expect(valuesOf(opLibrary.gemm({ M: 2, N: 2, K: 64, dtype: "i8" }))).toEqual({ ...small, shorts: "all" });
    const scaled = (stored: "f32" | "f16", K: number): Op =>
      defineOp({}, () => {
        const [A, B, k] = [tensor("A", [4, K], "u8"), tensor("B", [K], "f32"), reduceAxis("k", K)];
        return compute("C", [4], (i) => sum(A(i, k).cast("f32").mul(B(k)), k).cast(stored));
      });
    expect(valuesOf(scaled("f32", 64))).toEqual({ ...small, shorts: "all" });
    expect(valuesOf(scaled("f32", 9000))).toEqual(small);
    expect(valuesOf(scaled("f16", 64))).toEqual(small);
  });

  it("is fractions and a bound where rounding happens", () => {
    const plan = checkPlan(instantiate(softmax, {}, "softmax"));
    expect(plan.values.kind).toBe("reals");
    const bound = plan.bounds[0]!;
    expect(bound.kind === "within" && bound.relative > 1e-6 && bound.relative < 1e-2).toBe(true);
  });

  it("keeps the error of f32 where its results are computed with in f64", () => {
    const widened = defineOp({ N: 8 }, ({ N }) => {
      const X = tensor("X", [N], "f32");
      return compute("Y", [N], (i) => X(i).exp().cast("f64").mul(2));
    });
    const bound = checkPlan(instantiate(widened, {}, "widened")).bounds[0]!;
    expect(bound.kind === "within" && bound.relative >= 2 ** -23).toBe(true);
  });
});

describe("a difference of one element", () => {
  const difference = defineOp({ N: 1 }, ({ N }) => {
    const [A, B, C] = [tensor("A", [N], "f32"), tensor("B", [N], "f32"), tensor("C", [N], "f32")];
    return compute("D", [N], (i) =>
      A(i)
        .sub(B(i).mul(C(i)))
        .sqrt()
        .mul(0)
        .add(A(i).sub(B(i).mul(C(i)))),
    );
  });

  it("may nearly vanish, and keep the rounding of a product that another kernel does not round", () => {
    const op = instantiate(difference, {}, "difference");
    const { bounds } = checkPlan(op);
    for (let seed = 0; seed < 2000; seed++) {
      const [a, b, c] = ["A", "B", "C"].map((name) => Number(inputsOf(op, seed)[name]![0]));
      const [rounded, fused] = [a! - Math.fround(b! * c!), a! - b! * c!].map((it) => Float32Array.of(it / 3));
      const parameter = { name: "D", dtype: "f32", shape: [1], length: 1, role: "output" } as const;
      expect(mismatch(expectOutput(parameter, rounded!, bounds[0]!), fused!)).toBeNull();
    }
  });
});

describe("another order of summation", () => {
  const seed = fc.integer({ min: 0, max: 10_000 });

  test.prop([seed, fc.integer({ min: 1, max: 40 })])("gives the same bits of a gemm", (s, K) => {
    expect(verdicts(instantiate(gemm, { M: 3, N: 4, K }, "gemm"), s)).toEqual([null]);
  });

  test.prop([seed], { numRuns: 20 })("stays within the bound of softmax and gemm-exp-gemm", (s) => {
    expect(verdicts(instantiate(softmax, { M: 3, N: 64 }, "softmax"), s)).toEqual([null]);
    expect(verdicts(instantiate(gemmExpGemm, { M: 5, N: 6, K: 64, L: 5 }, "op"), s)).toEqual([null]);
  });
});

describe("test inputs", () => {
  it("are all values of a byte, and half of them small ones", () => {
    const A = { name: "A", shape: [100, 500], dtype: "i8", loc: null } as const;
    const all = testInputs([A], { kind: "integers", limit: 8, shorts: "all" }, createRng(1).unit)[0]!;
    expect(new Set(all).size).toBe(255);
    expect([...all].filter((value) => Math.abs(Number(value)) <= 8).length).toBeGreaterThan(25_000);
    for (const end of [-128, 127]) expect([...all].filter((value) => value === end).length).toBeGreaterThan(5000);
  });

  const tensor = (dtype: "f32" | "f16" | "i8" | "u8" | "bool") => ({ name: "A", shape: [40, 50], dtype, loc: null });
  const draw = (dtype: "f32" | "f16" | "i8" | "u8" | "bool", seed = 1) =>
    testInputs([tensor(dtype)], { kind: "integers", limit: 4 }, createRng(seed).unit)[0]!;

  it("are the values named, and all of them", () => {
    expect([...new Set(draw("f32"))].sort((a, b) => a - b)).toEqual([-4, -3, -2, -1, 1, 2, 3, 4]);
    expect([...new Set(draw("i8"))].sort((a, b) => a - b)).toEqual([-4, -3, -2, -1, 1, 2, 3, 4]);
    expect([...new Set(draw("u8"))].sort()).toEqual([1, 2, 3, 4]);
    expect([...new Set(draw("bool"))].sort()).toEqual([0, 1]);
    expect(draw("f16")).toBeInstanceOf(Uint16Array);
  });

  it("come from the seed", () => {
    expect(draw("f32", 7)).toEqual(draw("f32", 7));
    expect(draw("f32", 7)).not.toEqual(draw("f32", 8));
  });
});
