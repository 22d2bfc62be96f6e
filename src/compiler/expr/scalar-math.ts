// The meaning of every operator on single values: what the interpreters compute and the code generators must equal.
// A value is a JS number that its type holds exactly (bool: 0 or 1). Functions are computed in f64 and rounded once.

import { type DType, isFloat, isInteger } from "./dtype.ts";
import { erf } from "./erf.ts";
import { roundToBf16, roundToF16 } from "./float16.ts";
import type { BinaryOp, Reducer, UnaryOp } from "./scalar-expr.ts";

type IntegerType = "i32" | "i16" | "i8" | "u8";
type NumberType = Exclude<DType, "bool">;

/** Smallest and largest value of each integer type. */
export const integerRange: Readonly<Record<IntegerType | "bool", readonly [min: number, max: number]>> = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  i16: [-(2 ** 15), 2 ** 15 - 1],
  i8: [-128, 127],
  u8: [0, 255],
  bool: [0, 1],
};

/** Brings the exact result of an operation into `dtype`: floats round to nearest even, integers wrap. */
export const fit: Readonly<Record<DType, (value: number) => number>> = {
  f64: (value) => value,
  f32: Math.fround,
  f16: (value) => roundToF16(value),
  bf16: (value) => roundToBf16(value),
  i32: (value) => value | 0,
  i16: (value) => (value << 16) >> 16,
  i8: (value) => (value << 24) >> 24,
  u8: (value) => value & 0xff,
  bool: (value) => (value === 0 ? 0 : 1),
};

const bool = (value: boolean): number => (value ? 1 : 0);

function roundHalfToEven(value: number): number {
  if (Math.abs(value) >= 2 ** 52 || Number.isNaN(value)) return value;
  const below = Math.floor(value);
  const fraction = value - below;
  const even = below % 2 === 0 ? below : below + 1;
  const rounded = fraction < 0.5 ? below : fraction > 0.5 ? below + 1 : even;
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}

const unaryMath: Readonly<Record<UnaryOp, (x: number) => number>> = {
  neg: (x) => -x,
  not: (x) => 1 - x,
  abs: Math.abs,
  floor: Math.floor,
  ceil: Math.ceil,
  round: roundHalfToEven,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  exp: Math.exp,
  log: Math.log,
  tanh: Math.tanh,
  erf,
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
};

const binaryMath: Readonly<Record<BinaryOp, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  floorDiv: (a, b) => Math.floor(a / b),
  mod: (a, b) => a - Math.floor(a / b) * b,
  // biome-ignore lint/complexity/useMathMinMax: another meaning for NaN and signed zero, that of minps
  min: (a, b) => (b < a ? b : a),
  // biome-ignore lint/complexity/useMathMinMax: as min
  max: (a, b) => (a < b ? b : a),
  // C99 says 1 where JavaScript says NaN.
  pow: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
  eq: (a, b) => bool(a === b),
  ne: (a, b) => bool(a !== b),
  lt: (a, b) => bool(a < b),
  le: (a, b) => bool(a <= b),
  gt: (a, b) => bool(a > b),
  ge: (a, b) => bool(a >= b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
};

/** `op` on a value of `dtype`. */
export const applyUnary = (op: UnaryOp, dtype: DType, x: number): number => fit[dtype](unaryMath[op](x));

/** `op` on two values of `dtype`; comparisons give 0 or 1. */
export function applyBinary(op: BinaryOp, dtype: DType, a: number, b: number): number {
  if (op === "mul" && dtype === "i32") return Math.imul(a, b); // the product of two i32 does not fit a double
  return fit[dtype](binaryMath[op](a, b));
}

/** Converts a value: float → integer truncates and saturates, NaN gives 0; integer → narrower wraps. */
export function castValue(value: number, from: DType, to: DType): number {
  if (!isFloat(from) || !isInteger(to)) return fit[to](value);
  if (Number.isNaN(value)) return 0;
  const [min, max] = integerRange[to as IntegerType];
  return Math.min(max, Math.max(min, Math.trunc(value))) + 0; // + 0: no -0 among integers
}

/** The largest finite-or-infinite value: floats start a minimum at infinity, integers at their own limit. */
const highest = (dtype: NumberType): number => (isFloat(dtype) ? Infinity : integerRange[dtype as IntegerType][1]);
const lowest = (dtype: NumberType): number => (isFloat(dtype) ? -Infinity : integerRange[dtype as IntegerType][0]);

/** First value of a reduction's accumulator. */
export const reducerIdentity: Readonly<Record<Reducer, (dtype: NumberType) => number>> = {
  sum: () => 0,
  prod: () => 1,
  max: lowest,
  min: highest,
};

/** Operation by which a reduction takes in one more value: `accumulator = op(accumulator, value)`. */
export const reducerOp: Readonly<Record<Reducer, BinaryOp>> = { sum: "add", prod: "mul", max: "max", min: "min" };
