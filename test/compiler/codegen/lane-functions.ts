// Flat functions of one operation in vectors, and the values on which they are tried: all of 8- and 16-bit types, of wider
// ones those at the edges of what is converted, and some drawn at random.

import { type DType, dtypes } from "../../../src/compiler/expr/dtype.ts";
import type { ArrayOf } from "../../../src/compiler/expr/kernel-type.ts";
import { applyBinary, castValue } from "../../../src/compiler/expr/scalar-math.ts";
import { arrayOf, newArray, valuesOf } from "../../../src/compiler/expr/typed-array.ts";
import { binary, broadcast, constOf } from "../../../src/compiler/ir/build.ts";
import type { LoopFunc } from "../../../src/compiler/ir/loop-ir.ts";
import { mapFunction } from "./c/flat-functions.ts";

export interface LaneCase {
  readonly from: DType;
  readonly to: DType;
  readonly lanes: number;
}

/** Every two types, in vectors of so many lanes. */
export const conversionCases = (laneCounts: readonly number[]): readonly LaneCase[] =>
  dtypes.flatMap((from) =>
    dtypes.filter((to) => to !== from).flatMap((to) => laneCounts.map((lanes) => ({ from, to, lanes }))),
  );

export interface DivisionCase {
  readonly op: "floorDiv" | "mod";
  readonly dtype: DType;
  readonly divisor: number;
  readonly lanes: number;
}

const divisors: readonly (readonly [DType, readonly number[]])[] = [
  ["u8", [1, 2, 16, 128, 3, 7, 9, 100, 127, 255]],
  ["i8", [1, 2, 16, 64, 3, 7, 9, 100, 127]],
  ["i16", [1, 2, 16, 16384, 3, 7, 9, 100, 127, 641, 32767]],
  ["i32", [1, 2, 16, 2 ** 30, 3, 7, 9, 100, 127, 641, 65535, 65537, 10 ** 9 + 7, 2 ** 31 - 1]],
];

export const divisionCases = (laneCounts: readonly number[]): readonly DivisionCase[] =>
  divisors.flatMap(([dtype, each]) =>
    each.flatMap((divisor) =>
      (["floorDiv", "mod"] as const).flatMap((op) => laneCounts.map((lanes) => ({ op, dtype, divisor, lanes }))),
    ),
  );

export const divisionFunction = ({ op, dtype, divisor, lanes }: DivisionCase, count: number): LoopFunc =>
  mapFunction(`${op}_${dtype}_${divisor}_${lanes}`, dtype, dtype, lanes, Math.ceil(count / lanes), (x) =>
    binary(op, x, broadcast(constOf(dtype, divisor), lanes)),
  );

/** A multiple of 64, made once. */
export const samplesOf = remembered((dtype: DType): ArrayOf<DType> => padded(dtype, rawSamples(dtype)), String);

/** The samples of one type, converted to the other. */
export const convertedSamples = remembered(
  ({ from, to }: Pick<LaneCase, "from" | "to">): ArrayOf<DType> =>
    arrayOf(
      to,
      valuesOf(from, samplesOf(from)).map((value) => castValue(value, from, to)),
    ),
  ({ from, to }) => `${from} ${to}`,
);

export const dividedSamples = remembered(
  ({ op, dtype, divisor }: Omit<DivisionCase, "lanes">): ArrayOf<DType> =>
    arrayOf(
      dtype,
      valuesOf(dtype, samplesOf(dtype)).map((value) => applyBinary(op, dtype, value, divisor)),
    ),
  ({ op, dtype, divisor }) => `${op} ${dtype} ${divisor}`,
);

function remembered<A, R>(make: (of: A) => R, keyOf: (of: A) => string): (of: A) => R {
  const known = new Map<string, R>();
  return (of) => {
    const key = keyOf(of);
    const value = known.get(key) ?? make(of);
    known.set(key, value);
    return value;
  };
}

function rawSamples(dtype: DType): ArrayOf<DType> {
  switch (dtype) {
    case "bool":
    case "u8":
    case "i8":
      return arrayOf(
        dtype,
        Array.from({ length: 256 }, (_, at) => (dtype === "bool" ? at % 2 : at)),
      );
    case "i16":
      return Int16Array.from({ length: 65536 }, (_, at) => at);
    case "f16":
    case "bf16":
      return allBits(dtype);
    case "i32":
      return arrayOf(dtype, [
        ...edges.map((value) => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.trunc(value)))),
        ...drawn,
      ]);
    case "f32":
    case "f64":
      return arrayOf(dtype, [...edges.flatMap((value) => [value, value - 0.5, value + 0.5]), ...drawn, ...wild]);
  }
}

const allBits = (dtype: DType): ArrayOf<DType> => {
  const array = newArray(dtype, 65536);
  new Uint16Array(array.buffer).forEach((_, at, bits) => {
    bits[at] = at;
  });
  return array;
};

const edges: readonly number[] = [0, 1, 7, 8, 15, 16, 24, 31].flatMap((exponent) => {
  const power = 2 ** exponent;
  return [power - 1, power, power + 1, -power - 1, -power, 1 - power];
});

const wild = [
  -0,
  NaN,
  Infinity,
  -Infinity,
  1e-40,
  -1e-40,
  3e38,
  -3e38,
  2 ** 31 - 128,
  2147483520.5,
  0.99999994,
  5e-324,
];

/** The high half of products of an odd number: over all of the range, the same in each run. */
const drawn: readonly number[] = Array.from({ length: 2000 }, (_, at) => Math.imul(at + 1, 0x9e3779b1));

function padded(dtype: DType, values: ArrayOf<DType>): ArrayOf<DType> {
  const length = Math.ceil(values.length / 64) * 64;
  if (length === values.length) return values;
  const some = valuesOf(dtype, values);
  return arrayOf(dtype, [...some, ...new Array<number>(length - some.length).fill(0)]);
}

/** The first value that is another, and what was wanted; null if all are the same. Any NaN is any other. */
export function firstDifference(dtype: DType, got: ArrayOf<DType>, wanted: ArrayOf<DType>): string | null {
  const [a, b] = [got, wanted].map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength));
  if (a!.equals(b!)) return null;
  const [values, expected] = [valuesOf(dtype, got), valuesOf(dtype, wanted)];
  const at = values.findIndex((value, index) => !Object.is(value, expected[index]!));
  return at < 0 ? null : `at ${at}: ${values[at]}, not ${expected[at]}`;
}
