// Every operator and every conversion as compiled C, scalar and in vectors of many lane counts, against the meaning of
// the operator on single values.

import { expect } from "vitest";
import { type DType, dtypes, isFloat } from "../../../../src/compiler/expr/dtype.ts";
import { type BinaryOp, comparisonOps, type UnaryOp } from "../../../../src/compiler/expr/scalar-expr.ts";
import { applyBinary, applyUnary, castValue } from "../../../../src/compiler/expr/scalar-math.ts";
import { arrayOf, newArray, valuesOf } from "../../../../src/compiler/expr/typed-array.ts";
import { binary, cast, unary } from "../../../../src/compiler/ir/build.ts";
import type { LoopFunc } from "../../../../src/compiler/ir/loop-ir.ts";
import { targets } from "../../../../src/compiler/target/targets.ts";
import { eachCompiler, wideAvx2 } from "../../../native/compiled.ts";
import { inTurn } from "../../../support/long.ts";
import { mapFunction, zipFunction } from "./flat-functions.ts";

const turn = inTurn(6);

/** 1 is a scalar; 3, 7 and 20 are cut into pieces; 20 is more than one AVX2 register of f32. */
const runs = [
  { title: "avx2", target: targets.avx2, laneCounts: [1, 3, 8, 20] },
  { title: "64-byte vectors on AVX2", target: wideAvx2, laneCounts: [7, 16] },
  { title: "avx512", target: targets.avx512, laneCounts: [1, 7, 16, 20] },
];

const floats = [
  0, -0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3.49, -3.51, 7e-46, 6.1e-5, 5.9e-8, 65504, 65520, -70000, 127.9, -128.5,
];
const wild = [...floats, 255.5, 32767.5, 2147483520, 2147483648, -2147483904, 3e38, Infinity, -Infinity, NaN, 1e-40];
const integers = [
  0,
  1,
  -1,
  2,
  -2,
  3,
  7,
  -7,
  10,
  100,
  127,
  -128,
  255,
  1000,
  32767,
  -32768,
  65536,
  2 ** 31 - 1,
  -(2 ** 31),
];

const samplesOf = (dtype: DType): readonly number[] => (isFloat(dtype) ? wild : dtype === "bool" ? [0, 1] : integers);

/** `count` values, each sample `times` times in a row: with 1 and with the number of samples, every pair comes up. */
const filled = (dtype: DType, count: number, times = 1): ReturnType<typeof arrayOf> => {
  const samples = samplesOf(dtype);
  return arrayOf(
    dtype,
    Array.from({ length: count }, (_, at) => samples[Math.floor(at / times) % samples.length]!),
  );
};

const vectorsFor = (lanes: number): number => Math.ceil(wild.length ** 2 / lanes);

const unaryCases: readonly (readonly [UnaryOp, readonly DType[]])[] = [
  ["neg", ["f32", "f64", "i32", "i16", "i8"]],
  ["abs", ["f32", "f64", "i32", "i16", "i8", "u8"]],
  ["not", ["bool"]],
  ["floor", ["f32", "f64"]],
  ["ceil", ["f32", "f64"]],
  ["round", ["f32", "f64"]],
  ["sqrt", ["f32", "f64"]],
  ["rsqrt", ["f32", "f64"]],
];

const isComparison = (op: BinaryOp): boolean => (comparisonOps as readonly string[]).includes(op);

const numbers: readonly DType[] = ["f64", "f32", "i32", "i16", "i8", "u8"];

function operatorsOn(dtype: DType): readonly BinaryOp[] {
  const arithmetic: readonly BinaryOp[] = isFloat(dtype)
    ? ["add", "sub", "mul", "div"]
    : ["add", "sub", "mul", "floorDiv", "mod"];
  if (dtype === "bool") return ["and", "or", "eq", "ne"];
  return [...arithmetic, "min", "max", ...comparisonOps];
}

for (const { title, target, laneCounts } of runs) {
  eachCompiler({ title: `${title}: C equals the meaning of`, target }, ({ compileFunctions }) => {
    turn.for(laneCounts)("unary operators in %i lanes", async (lanes) => {
      const cases = unaryCases.flatMap(([op, types]) => types.map((dtype) => ({ op, dtype })));
      const vectors = vectorsFor(lanes);
      const run = await compileFunctions(
        cases.map(({ op, dtype }) => mapFunction(`${op}_${dtype}`, dtype, dtype, lanes, vectors, (x) => unary(op, x))),
        target,
      );
      for (const [at, { op, dtype }] of cases.entries()) {
        const x = filled(dtype, lanes * vectors);
        const y = newArray(dtype, x.length);
        run(at, x, y);
        const expected = valuesOf(dtype, x).map((value) => applyUnary(op, dtype, value));
        expect([`${op} ${dtype}`, ...valuesOf(dtype, y)]).toEqual([`${op} ${dtype}`, ...expected]);
      }
    });

    turn.for(laneCounts)("binary operators in %i lanes", async (lanes) => {
      const cases = [...numbers, "bool" as const].flatMap((dtype) =>
        operatorsOn(dtype).map((op) => ({ op, dtype, to: isComparison(op) ? ("bool" as const) : dtype })),
      );
      const vectors = vectorsFor(lanes);
      const run = await compileFunctions(
        cases.map(({ op, dtype }) => zipFunction(`${op}_${dtype}`, dtype, lanes, vectors, (x, y) => binary(op, x, y))),
        target,
      );
      for (const [at, { op, dtype, to }] of cases.entries()) {
        const [x, y] = [filled(dtype, lanes * vectors), filled(dtype, lanes * vectors, samplesOf(dtype).length)];
        const z = newArray(to, x.length);
        run(at, x, y, z);
        const right = valuesOf(dtype, y);
        const expected = valuesOf(dtype, x).map((value, lane) => applyBinary(op, dtype, value, right[lane]!));
        expect([`${op} ${dtype}`, ...valuesOf(to, z)]).toEqual([`${op} ${dtype}`, ...expected]);
      }
    });

    turn.for(laneCounts)("conversions in %i lanes", async (lanes) => {
      const cases = dtypes.flatMap((from) => dtypes.filter((to) => to !== from).map((to) => ({ from, to })));
      const vectors = vectorsFor(lanes);
      const run = await compileFunctions(
        cases.map(({ from, to }) => mapFunction(`${from}_${to}`, from, to, lanes, vectors, (x) => cast(to, x))),
        target,
      );
      for (const [at, { from, to }] of cases.entries()) {
        const x = filled(from, lanes * vectors);
        const y = newArray(to, x.length);
        run(at, x, y);
        const expected = valuesOf(from, x).map((value) => castValue(value, from, to));
        expect([`${from} → ${to}`, ...valuesOf(to, y)]).toEqual([`${from} → ${to}`, ...expected]);
      }
    });

    turn.for(laneCounts)("floats made integers and floats again in %i lanes: no negative zero", async (lanes) => {
      const cases = (["f32", "f64"] as const).flatMap((from) => integerTypes.map((through) => ({ from, through })));
      const vectors = vectorsFor(lanes);
      const run = await compileFunctions(
        cases.map(({ from, through }) =>
          mapFunction(`${from}_${through}`, from, from, lanes, vectors, (x) => cast(from, cast(through, x))),
        ),
        target,
      );
      for (const [at, { from, through }] of cases.entries()) {
        const x = filled(from, lanes * vectors);
        const y = newArray(from, x.length);
        run(at, x, y);
        const expected = valuesOf(from, x).map((value) => castValue(castValue(value, from, through), through, from));
        expect([`${from} → ${through}`, ...valuesOf(from, y)]).toEqual([`${from} → ${through}`, ...expected]);
      }
    });
  });
}

const integerTypes: readonly DType[] = ["i32", "i16", "i8", "u8"];

eachCompiler("numerics", ({ compileFunctions }) => {
  /** y = x·x - x; the square of 1 + 2^-12 needs more bits than f32 has, and the difference shows them. */
  const square = (name: string, lanes: number): LoopFunc =>
    mapFunction(name, "f32", "f32", lanes, 1, (x) => binary("sub", binary("mul", x, x), x));

  turn.for([1, 8])("strict rounds a product before it is added, fast need not: %i lanes", async (lanes) => {
    const x = Float32Array.from({ length: lanes }, (_, lane) => 1 + (lane + 1) * 2 ** -12);
    const rounded = x.map((value) => Math.fround(value * value) - value);
    const fused = x.map((value) => value * value - value);
    expect(fused).not.toEqual(rounded);
    for (const [numerics, expected] of [
      ["strict", rounded],
      ["fast", fused],
    ] as const) {
      const run = await compileFunctions([square(numerics, lanes)], targets.avx2, numerics);
      const y = new Float32Array(lanes);
      run(0, x, y);
      expect([numerics, ...y]).toEqual([numerics, ...expected]);
    }
  });
});
