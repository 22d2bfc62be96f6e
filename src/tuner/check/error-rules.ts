// Rules of the running error analysis: the effect of each operator on values that are known up to an error. The value
// is computed in f64 from exact operands; the error bounds how far any back end's result may be from it.

import {
  applyBinary,
  applyUnary,
  type BinaryExpr,
  type CastExpr,
  type ConstExpr,
  castValue,
  computeType,
  type DType,
  integerRange,
  isFloat,
  type UnaryExpr,
} from "../../compiler/index.ts";
import { functionError, powError, ulp } from "./error-bound.ts";

/** A value, and a bound on the difference to any back end's; infinite where none is known. */
export type Bounded = readonly [value: number, error: number];

const infinite = Number.POSITIVE_INFINITY;

/** The largest finite value, and the least step, of the types that are computed in. */
const range = { f64: [Number.MAX_VALUE, 5e-324], f32: [3.4028234663852886e38, 2 ** -149] } as const;

/**
 * Adds one rounding's error, of an operation that is exact but for `ulps` units in the last place: a plain rounding has
 * half of one.
 */
export function rounded(dtype: DType, value: number, error: number, ulps = 1): Bounded {
  if (!isFloat(dtype)) return [value, error];
  const type = computeType(dtype) === "f64" ? "f64" : "f32";
  const [largest, step] = range[type];
  const size = Math.abs(value);
  const total = error + size * ulp[type] * ulps + step;
  // A value that may overflow may become infinite in a back end, so its error has no bound. All NaNs count as the same.
  if (Number.isFinite(value) && !(size + total <= largest)) return [value, infinite];
  return [value, Number.isNaN(total) ? unknownUnlessSame(value, error) : total];
}

/** Returns 0 for an infinity or a NaN of exact operands, which every back end computes; else infinite. */
const unknownUnlessSame = (value: number, error: number): number =>
  error === 0 && !Number.isFinite(value) ? 0 : infinite;

/** Returns the type that an operator is applied in: f64 for floats; integers keep theirs, being exact and wrapping. */
const wide = (dtype: DType): DType => (isFloat(dtype) ? "f64" : dtype);

/**
 * Returns the farthest that a function of one operand comes from its value between the ends of an interval on which it is
 * monotone.
 */
function farthest(of: (x: number) => number, value: number, ends: readonly number[]): number {
  const distances = ends.map((x) => Math.abs(of(x) - value));
  return distances.some(Number.isNaN) ? infinite : Math.max(...distances);
}

export const constantBounded = ({ value, dtype }: ConstExpr): Bounded =>
  computeType(dtype) === "f32" && Math.fround(value) !== value ? rounded(dtype, value, 0) : [value, 0];

export function unaryBounded({ op, dtype, operand }: UnaryExpr, [a, e]: Bounded): Bounded {
  const type = wide(operand.dtype);
  const of = (x: number): number => applyUnary(op, type, x);
  const value = of(a);
  if (op === "neg" || op === "abs") return [value, e];
  if (op === "not") return [value, Math.min(e, 1)];
  const error = e === 0 ? 0 : farthest(of, value, [a - e, a + e]);
  const { own } = functionError[op];
  return own === 0 ? [value, error] : rounded(dtype, value, error, own);
}

export function binaryBounded(expr: BinaryExpr, [a, ea]: Bounded, [b, eb]: Bounded): Bounded {
  const { op, dtype } = expr;
  const value = applyBinary(op, wide(expr.left.dtype), a, b);
  switch (op) {
    case "add":
    case "sub":
      return rounded(dtype, value, ea + eb);
    case "mul":
      return rounded(dtype, value, times(a, eb) + times(b, ea) + times(ea, eb));
    case "div":
      return rounded(dtype, value, quotientError(value, ea, Math.abs(b), eb));
    case "min":
    case "max":
      return [value, Math.max(ea, eb)];
    case "pow":
      return rounded(dtype, value, powerError(value, [a, ea], [b, eb]), powError.own);
    case "floorDiv":
      return [value, ea + eb === 0 ? 0 : farthest((x) => Math.floor(x / b), value, [a - ea, a + ea]) + spread(eb)];
    case "mod":
      return [value, ea + eb === 0 ? 0 : Math.abs(b) + spread(eb)];
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return [value, isUndecided(a - b, ea + eb) ? 1 : 0];
    case "and":
      return [value, isSure(0, [a, ea]) || isSure(0, [b, eb]) ? 0 : Math.max(ea, eb)];
    case "or":
      return [value, isSure(1, [a, ea]) || isSure(1, [b, eb]) ? 0 : Math.max(ea, eb)];
  }
}

/** Multiplies magnitudes, where 0 times infinity is 0. */
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : Math.abs(a) * Math.abs(b));

const quotientError = (value: number, ea: number, b: number, eb: number): number => {
  if (ea === 0 && eb === 0) return 0;
  return b > eb ? (ea + times(value, eb)) / (b - eb) : infinite;
};

function powerError(value: number, [a, ea]: Bounded, [b, eb]: Bounded): number {
  if (ea === 0 && eb === 0) return 0;
  return Math.max(...[b - eb, b + eb].map((power) => farthest((x) => x ** power, value, [a - ea, a + ea])));
}

const spread = (error: number): number => (error > 0 ? infinite : 0);
const isUndecided = (difference: number, error: number): boolean => error > 0 && !(Math.abs(difference) > error);
const isSure = (wanted: number, [value, error]: Bounded): boolean => error === 0 && value === wanted;

/** Chooses a side. Where the condition is not sure, either side may be taken, and the error covers both. */
export function selectBounded([condition, error]: Bounded, then: Bounded, otherwise: Bounded): Bounded {
  const [taken, other] = condition !== 0 ? [then, otherwise] : [otherwise, then];
  if (error === 0) return taken;
  const apart = taken[0] === other[0] ? 0 : Math.abs(taken[0] - other[0]);
  const farther = Math.max(taken[1], apart + other[1]);
  return [taken[0], Number.isNaN(farther) ? infinite : farther];
}

export function castBounded({ dtype, operand }: CastExpr, [a, e]: Bounded): Bounded {
  const from = operand.dtype;
  if (!isFloat(dtype)) return castToInteger(dtype, from, [a, e]);
  if (dtype === "f16" || dtype === "bf16") return rounded(dtype, a, e + Math.abs(a) * ulp[dtype]);
  const isExact = dtype === "f64" || (isFloat(from) ? from !== "f64" : Math.abs(a) <= 2 ** 24);
  return isExact ? [a, e] : rounded(dtype, a, e);
}

function castToInteger(to: DType, from: DType, [a, e]: Bounded): Bounded {
  const of = (x: number): number => castValue(x, wide(from), to);
  const value = of(a);
  if (e === 0) return [value, 0];
  if (to === "bool") return [value, isUndecided(a, e) ? 1 : 0];
  const [least, most] = integerRange[to as keyof typeof integerRange];
  const isInside = a - e >= least && a + e <= most;
  // Floats saturate, integers wrap.
  return [value, isFloat(from) || isInside ? farthest(of, value, [a - e, a + e]) : most - least];
}
