// pow(x, y) for f64, after fdlibm's e_pow.c: log2 |x| and its product with y are sums of two numbers, the first with its
// lower 32 bits zero so that products of such parts are exact (fused multiply-adds change nothing there).

import { add, and, binary, bitcast, div, eq, gt, max, min, mul, or, select, sub, unary } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { scale64 } from "./exp.ts";
import { splitF64 } from "./log.ts";
import { powSpecial } from "./pow-special.ts";
import { f64, i64, polynomial, type Terms } from "./terms.ts";

interface Pair {
  readonly high: Expr;
  readonly low: Expr;
}

/** Power in f64, with an error of at most 2 ulp. */
export function powF64(base: Expr, exponent: Expr, terms: Terms): Expr {
  const of = (value: number): Expr => f64(value, terms);
  const [x, y] = [terms.bind(base), terms.bind(exponent)];
  const size = terms.bind(unary("abs", x));
  const log = log2(size, terms);
  // Beyond ±2^12 the power is 0 or infinity (unless |x| is very near 1), and the parts must not overflow: y is limited
  // to ±2^66, where |y log2 x| ≥ 2^13 for every |x| but 1.
  const limited = terms.bind(min(max(y, of(-(2 ** 66))), of(2 ** 66)));
  const yHigh = terms.bind(upper(limited, terms));
  const low = terms.bind(add(mul(sub(limited, yHigh), log.high), mul(limited, log.low)));
  const product = terms.bind(mul(yHigh, log.high));
  const finite = exp2({ high: product, low }, terms);
  return powSpecial("f64", x, y, limits(size, y, finite, terms), terms);
}

/** The power where |x| is 0 or ∞: by the sign of y. */
function limits(size: Expr, y: Expr, finite: Expr, terms: Terms): Expr {
  const of = (value: number): Expr => f64(value, terms);
  const isZero = eq(size, of(0));
  const isInfinite = eq(size, of(Number.POSITIVE_INFINITY));
  const isPositive = gt(y, of(0));
  const grows = or(and(isZero, unary("not", isPositive)), and(isInfinite, isPositive));
  const limit = select(grows, of(Number.POSITIVE_INFINITY), of(0));
  const isLimit = and(or(isZero, isInfinite), eq(y, y));
  return select(isLimit, limit, finite);
}

/** x with the lower 32 bits of its fraction zero. */
const upper = (x: Expr, terms: Terms): Expr =>
  bitcast("f64", binary("bitAnd", bitcast("i64", x), i64(-(2 ** 32), terms)));

/** log2 of a positive finite number to about 2^-65: 2^e · m with m/c near 1 for c = 1 or 1.5. */
function log2(size: Expr, terms: Terms): Pair {
  const of = (value: number): Expr => f64(value, terms);
  const split = splitF64(size, terms);
  const isBig = terms.bind(gt(split.m, of(Math.sqrt(3))));
  const isMiddle = terms.bind(and(gt(split.m, of(Math.sqrt(1.5))), unary("not", isBig)));
  const m = terms.bind(select(isBig, mul(split.m, of(0.5)), split.m));
  const e = terms.bind(select(isBig, add(split.e, of(1)), split.e));
  const center = terms.bind(select(isMiddle, of(1.5), of(1)));
  const log = logRatio(m, center, terms);
  const zHigh = terms.bind(mul(of(0.9617967009544373), log.high));
  const rest = add(mul(of(-7.028461650952758e-9), log.high), mul(log.low, of(0.9617966939259756)));
  const zLow = terms.bind(add(rest, select(isMiddle, of(1.350039202129749e-8), of(0))));
  const cHigh = terms.bind(select(isMiddle, of(0.5849624872207642), of(0)));
  const high = terms.bind(upper(add(add(add(zHigh, zLow), cHigh), e), terms));
  return { high, low: terms.bind(sub(zLow, sub(sub(sub(high, e), cHigh), zHigh))) };
}

/** 3/2 · ln(m / center): 3 s + s³ + … with s = (m - center) / (m + center), in two parts. */
function logRatio(m: Expr, center: Expr, terms: Terms): Pair {
  const of = (value: number): Expr => f64(value, terms);
  const above = terms.bind(sub(m, center));
  const inverse = terms.bind(div(of(1), add(m, center)));
  const s = terms.bind(mul(above, inverse));
  const sHigh = terms.bind(upper(s, terms));
  const sumHigh = terms.bind(upper(add(m, center), terms));
  const sumLow = sub(m, sub(sumHigh, center));
  const sLow = terms.bind(mul(inverse, sub(sub(above, mul(sHigh, sumHigh)), mul(sHigh, sumLow))));
  const square = terms.bind(mul(s, s));
  const series = mul(mul(square, square), polynomial("f64", square, logSeries, terms));
  const r = terms.bind(add(series, mul(sLow, add(sHigh, s))));
  const squareHigh = terms.bind(mul(sHigh, sHigh));
  const tHigh = terms.bind(upper(add(add(of(3), squareHigh), r), terms));
  const tLow = sub(r, sub(sub(tHigh, of(3)), squareHigh));
  const u = terms.bind(mul(sHigh, tHigh));
  const v = terms.bind(add(mul(sLow, tHigh), mul(tLow, s)));
  const high = terms.bind(upper(add(u, v), terms));
  return { high, low: terms.bind(sub(v, sub(high, u))) };
}

const logSeries = [
  0.20697501780033842, 0.23066074577556175, 0.272728123808534, 0.33333332981837743, 0.4285714285785502,
  0.5999999999999946,
];

/** 2^(high + low). */
function exp2({ high, low }: Pair, terms: Terms): Expr {
  const of = (value: number): Expr => f64(value, terms);
  const sum = terms.bind(add(low, high));
  const isInRange = and(gt(sum, of(-1100)), gt(of(1100), sum));
  const saturated = terms.bind(min(max(sum, of(-1100)), of(1100)));
  const n = terms.bind(unary("round", saturated));
  const fraction = terms.bind(sub(high, n));
  const t = terms.bind(upper(add(low, fraction), terms));
  const u = terms.bind(mul(t, of(0.6931471824645996)));
  const v = terms.bind(add(mul(sub(low, sub(t, fraction)), of(Math.LN2)), mul(t, of(-1.904654299957768e-9))));
  const z = terms.bind(add(u, v));
  const w = terms.bind(sub(v, sub(z, u)));
  const square = terms.bind(mul(z, z));
  const correction = terms.bind(sub(z, mul(square, polynomial("f64", square, expSeries, terms))));
  const r = sub(div(mul(z, correction), sub(correction, of(2))), add(w, mul(z, w)));
  const power = sub(of(1), sub(r, z));
  return scale64(select(isInRange, power, select(eq(sum, sum), of(1), sum)), n, terms);
}

const expSeries = [
  4.1381367970572385e-8, -1.6533902205465252e-6, 6.613756321437934e-5, -0.0027777777777015593, 0.16666666666666602,
];
