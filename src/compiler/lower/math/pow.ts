// pow(x, y) for f32: 2^(y · log2 |x|) with the logarithm in f64, then the sign and the special cases of C99 (annex F.9.4.4).
// Exponent and fraction are taken and put back as f32 bits, so no 64-bit integers are needed.

import { add, cast, div, eq, max, min, mul, select, sub, unary } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { scale32 } from "./exp.ts";
import { splitF32 } from "./log.ts";
import { powSpecial } from "./pow-special.ts";
import { f32, f64, polynomial, type Terms } from "./terms.ts";

/** Power in f32, with an error of at most 1 ulp. */
export function powF32(base: Expr, exponent: Expr, terms: Terms): Expr {
  const [x, y] = [terms.bind(base), terms.bind(exponent)];
  const size = terms.bind(unary("abs", x));
  const product = mul(cast("f64", y), log2OfF32(size, terms));
  const t = terms.bind(min(max(product, f64(-152, terms)), f64(130, terms)));
  const n = terms.bind(unary("round", t));
  const r = terms.bind(mul(sub(t, n), f64(Math.LN2, terms)));
  const power = cast("f32", polynomial("f64", r, expTaylor, terms));
  return powSpecial("f32", x, y, scale32(power, cast("f32", n), terms), terms);
}

/** 1/9!, …, 1/0!: the rest is below 1e-11. */
const expTaylor = [362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1].map((factorial) => 1 / factorial);

/** log2 of a number ≥ 0, as an f64 (relative error below 1e-12): 2/ln 2 · artanh((m - 1) / (m + 1)) + e. */
function log2OfF32(size: Expr, terms: Terms): Expr {
  const split = splitF32(size, terms);
  const m = terms.bind(cast("f64", split.m));
  const s = terms.bind(div(sub(m, f64(1, terms)), add(m, f64(1, terms))));
  const series = mul(polynomial("f64", terms.bind(mul(s, s)), artanhSeries, terms), s);
  const log = add(mul(series, f64(2 * Math.LOG2E, terms)), cast("f64", split.e));
  const isInfinite = eq(size, f32(Number.POSITIVE_INFINITY, terms));
  const finite = select(eq(size, f32(0, terms)), f64(Number.NEGATIVE_INFINITY, terms), log);
  return select(isInfinite, f64(Number.POSITIVE_INFINITY, terms), finite);
}

const artanhSeries = [15, 13, 11, 9, 7, 5, 3, 1].map((odd) => 1 / odd);
