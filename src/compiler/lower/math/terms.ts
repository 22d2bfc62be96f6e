// The vocabulary in which the expansions of exp, log and friends are written: constants of the right type and lanes, and
// names for terms that are used more than once. An expansion maps operand expressions to a result expression.

import { add, binary, bitcast, broadcast, constOf, mul } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";

export type FloatType = "f32" | "f64";

export interface Terms {
  readonly lanes: number;
  /** Names the value, so that it is computed once; gives the local that reads it. */
  readonly bind: (value: Expr) => Expr;
}

const constant = (dtype: "f32" | "f64" | "i32" | "i64", value: number, { lanes }: Terms): Expr =>
  broadcast(constOf(dtype, value), lanes);

export const f32 = (value: number, terms: Terms): Expr => constant("f32", Math.fround(value), terms);
export const f64 = (value: number, terms: Terms): Expr => constant("f64", value, terms);
export const i32 = (value: number, terms: Terms): Expr => constant("i32", value, terms);
export const i64 = (value: number, terms: Terms): Expr => constant("i64", value, terms);
export const float = (type: FloatType, value: number, terms: Terms): Expr =>
  type === "f32" ? f32(value, terms) : f64(value, terms);

/** Horner's rule; coefficients from that of the highest power down. */
export function polynomial(type: FloatType, x: Expr, coefficients: readonly number[], terms: Terms): Expr {
  const [first, ...rest] = coefficients.map((each) => float(type, each, terms));
  return rest.reduce((sum, each) => add(mul(sum, x), each), first!);
}

/** The integer type with the bits of a float type. */
export const bitsType = { f32: "i32", f64: "i64" } as const;

/** -0.0 as bits: the sign bit alone. An i64 constant of that size cannot be written down. */
const signMask = (type: FloatType, terms: Terms): Expr => bitcast(bitsType[type], float(type, -0, terms));

/** Bits that hold the sign of x and nothing else. */
export const signOf = (type: FloatType, x: Expr, terms: Terms): Expr =>
  binary("bitAnd", bitcast(bitsType[type], x), signMask(type, terms));

/** `magnitude` (not negative) with the sign of `sign` (see `signOf`). */
export const withSign = (type: FloatType, magnitude: Expr, sign: Expr): Expr =>
  bitcast(type, binary("bitOr", bitcast(bitsType[type], magnitude), sign));
