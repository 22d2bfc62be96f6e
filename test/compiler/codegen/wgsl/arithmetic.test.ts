// Operators, casts and functions in WGSL on hostile values: SwiftShader gives what the meaning of each operator says. Subnormals may be
// taken for zeros, and a NaN may become any number where the language says so; neither is asked for here.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateWgsl } from "../../../../src/compiler/codegen/wgsl/generate-wgsl.ts";
import type { UnaryOp } from "../../../../src/compiler/expr/scalar-expr.ts";
import { type DType, encode, newArray, valuesOf, webgpu } from "../../../../src/compiler/index.ts";
import { interpret } from "../../../../src/compiler/ir/interpret.ts";
import type { Expr, IrBinaryOp, LoopFunc } from "../../../../src/compiler/ir/loop-ir.ts";
import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { GpuDevice } from "../../../../src/native/webgpu/device.ts";
import { noSoftwareGpu, openSoftwareGpu, runOnGpu } from "../../../support/webgpu.ts";
import * as ir from "../wasm/build.ts";

const least = -(2 ** 31);
const most = 2 ** 31 - 1;

/** Values of each type that meet the corners. */
const corners: Readonly<Record<string, readonly number[]>> = {
  f32: [
    0,
    -0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3,
    -3,
    7,
    6,
    1e-30,
    1e30,
    -1e30,
    16777216,
    16777217,
    2147483520,
    2147483648,
    -2147483648,
    -3e9,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    88,
    -87,
    0.1,
    255.9,
    -128.7,
  ],
  f16: [0, -0, 1, -1, 0.1, 65504, -65504, 6.1035e-5, 2048, 2049, 0.333],
  bf16: [0, -0, 1, -1, 0.1, 3e38, -3e38, 1e-30, 257, 0.333],
  i32: [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, 255, -128, 65535, 16777217, -16777219, most, most - 1, least, least + 1],
  i16: [0, 1, -1, 7, -7, 255, 32767, -32768],
  i8: [0, 1, -1, 7, -7, 127, -128],
  u8: [0, 1, 2, 7, 128, 255],
  bool: [0, 1],
};

const arrayOf = (dtype: DType, values: readonly number[]): KernelArray => {
  const array = newArray(dtype, values.length) as KernelArray;
  for (const [at, value] of values.entries()) array[at] = dtype === "bool" ? value : encode(dtype, value);
  return array;
};

interface Computed {
  readonly found: readonly number[];
  readonly wanted: readonly number[];
  readonly operands: readonly (readonly number[])[];
}

/** An expression of the elements of one or two inputs, of all pairs of corner values. */
async function computed(
  gpu: GpuDevice,
  types: readonly DType[],
  result: DType,
  value: (operands: readonly Expr[]) => Expr,
): Promise<Computed> {
  const [first, second = null] = types;
  const pairs = corners[first!]!.flatMap((a) => (second ? corners[second]!.map((b) => [a, b]) : [[a]]));
  const inputs = types.map((dtype, at) =>
    arrayOf(
      dtype,
      pairs.map((pair) => pair[at]!),
    ),
  );
  const operands = types.map((dtype, at) => ir.load(`in${at}`, dtype, ir.v("i")));
  const buffers = [
    ...types.map((dtype, at) => ir.buffer(`in${at}`, dtype, pairs.length, "input")),
    ir.buffer("out", result, pairs.length, "output"),
  ];
  const func: LoopFunc = ir.func("f", buffers, ir.loop("i", pairs.length, ir.store("out", ir.v("i"), value(operands))));
  const source = generateWgsl(func, { target: webgpu, numerics: "fast" });
  const out = newArray(result, pairs.length) as KernelArray;
  expect(await runOnGpu(gpu, source, [...inputs, out])).toBeNull();
  const wanted = interpret(func, Object.fromEntries(inputs.map((array, at) => [`in${at}`, array]))).out!;
  return { found: [...valuesOf(result, out)], wanted: [...valuesOf(result, wanted)], operands: pairs };
}

/** Pairs of operands whose results differ; `ulp`: by so many units in the last place of f32. */
const differences = ({ found, wanted, operands }: Computed, ulp = 0): readonly string[] =>
  wanted.flatMap((value, at) => {
    if (Number.isNaN(value) || value === found[at]) return [];
    if (Math.abs(found[at]! - value) <= ulp * 2 ** -23 * Math.abs(value)) return [];
    return Math.abs(value) < 2 ** -126 && value !== 0 ? [] : [`${operands[at]} gives ${found[at]}, not ${value}`];
  });

const integerOps: readonly IrBinaryOp[] = ["add", "sub", "mul", "floorDiv", "mod", "div", "min", "max"];
const comparisons: readonly IrBinaryOp[] = ["eq", "ne", "lt", "le", "gt", "ge"];
const bitOps: readonly IrBinaryOp[] = ["shl", "shr", "bitAnd", "bitOr", "bitXor"];

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  let gpu: GpuDevice;
  beforeAll(async () => {
    gpu = await openSoftwareGpu();
  });
  afterAll(() => gpu.device.destroy());

  test.each((["i32", "i16", "i8", "u8"] as const).flatMap((dtype) => integerOps.map((op) => ({ dtype, op }))))(
    "$op of $dtype",
    async ({ dtype, op }) => {
      const result = await computed(gpu, [dtype, dtype], dtype, ([a, b]) => ir.bin(op, a!, b!));
      expect(differences(result)).toEqual([]);
    },
  );

  test.each(bitOps)("%s of i32", async (op) => {
    expect(differences(await computed(gpu, ["i32", "i32"], "i32", ([a, b]) => ir.bin(op, a!, b!)))).toEqual([]);
  });

  test.each((["f32", "i32", "u8", "bool"] as const).flatMap((dtype) => comparisons.map((op) => ({ dtype, op }))))(
    "$op of $dtype",
    async ({ dtype, op }) => {
      const result = await computed(gpu, [dtype, dtype], "bool", ([a, b]) => ir.bin(op, a!, b!));
      expect(differences(result)).toEqual([]);
    },
  );

  test.each(["add", "sub", "mul", "div", "min", "max"] as const)("%s of f32", async (op) => {
    const result = await computed(gpu, ["f32", "f32"], "f32", ([a, b]) => ir.bin(op, a!, b!));
    expect(differences(result, op === "div" ? 3 : 0)).toEqual([]);
  });

  test.each(
    (["f32", "f16", "bf16", "i32", "i16", "i8", "u8", "bool"] as const).flatMap((from) =>
      (["f32", "f16", "bf16", "i32", "i16", "i8", "u8", "bool"] as const).map((to) => ({ from, to })),
    ),
  )("a cast of $from to $to", async ({ from, to }) => {
    expect(differences(await computed(gpu, [from], to, ([a]) => ir.cast(a!, to)))).toEqual([]);
  });

  test.each<UnaryOp>(["neg", "abs", "floor", "ceil", "round", "sqrt"])("%s of f32", async (op) => {
    const result = await computed(gpu, ["f32"], "f32", ([operand]) => ({
      kind: "unary",
      dtype: "f32",
      op,
      operand: operand!,
    }));
    expect(differences(result)).toEqual([]);
  });

  test.each<UnaryOp>(["exp", "log", "tanh", "erf", "sigmoid", "rsqrt"])("%s of f32, within 2 ulp", async (op) => {
    const result = await computed(gpu, ["f32"], "f32", ([operand]) => ({
      kind: "unary",
      dtype: "f32",
      op,
      operand: operand!,
    }));
    expect(differences(result, 2)).toEqual([]);
  });

  test("pow of f32, within 2 ulp", async () => {
    const result = await computed(gpu, ["f32", "f32"], "f32", ([a, b]) => ir.bin("pow", a!, b!));
    expect(differences(result, 2)).toEqual([]);
  });
});
