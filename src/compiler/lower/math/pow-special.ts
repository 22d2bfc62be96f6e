// The special cases of pow (C99, annex F.9.4.4), given the power of the absolute value.

import { and, bitcast, eq, gt, lt, mul, ne, or, select, unary } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { bitsType, type FloatType, float, signOf, type Terms, withSign } from "./terms.ts";

/**
 * `magnitude` is |x|^y, where 0 and ∞ are treated as limits; it may be anything where |x| = 1, y = 0 or x is NaN.
 *
 *   x = 1 or y = 0: 1, for every value of the other · |x| = 1, y not NaN: 1 · x < 0, y odd: negative · x < 0, y no integer: NaN
 */
export function powSpecial(type: FloatType, x: Expr, y: Expr, magnitude: Expr, terms: Terms): Expr {
  const of = (value: number): Expr => float(type, value, terms);
  const isOne = and(eq(unary("abs", x), of(1)), eq(y, y));
  const size = select(isOne, of(1), magnitude);
  const isInteger = terms.bind(eq(unary("floor", y), y));
  const half = terms.bind(mul(y, of(0.5)));
  const isOdd = and(isInteger, ne(unary("floor", half), half));
  const noSign = bitcast(bitsType[type], of(0));
  const signed = withSign(type, size, select(isOdd, signOf(type, x, terms), noSign));
  const isFiniteNegative = and(lt(x, of(0)), gt(x, of(Number.NEGATIVE_INFINITY)));
  const isComplex = and(isFiniteNegative, unary("not", isInteger));
  const real = select(isComplex, of(Number.NaN), select(ne(x, x), x, signed));
  return select(or(eq(x, of(1)), eq(y, of(0))), of(1), real);
}
