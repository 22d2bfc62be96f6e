// exp(x) = 2^n · e^r with n = round(x / ln 2) and |r| ≤ ln 2 / 2 (Cody & Waite 1980: ln 2 in two parts, so that x - n · ln 2
// loses nothing). 2^n is made of bits, in two factors, so that results may be subnormal and overflow goes to infinity.

import { add, binary, bitcast, max, min, mul, sub } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { f32, f64, i32, i64, polynomial, type Terms } from "./terms.ts";

/** Adding 1.5 · 2^23 leaves an f32's last place at 1: the sum is rounded to an integer, and its low bits hold n + 254. */
const magic32 = 1.5 * 2 ** 23 + 254;
const magic64 = 1.5 * 2 ** 52;

/** 2^(k - 127) from the low bits of `k`; 1 ≤ k ≤ 254. */
const power32 = (k: Expr, terms: Terms): Expr => bitcast("f32", binary("shl", k, i32(23, terms)));

/** The factors of 2^n, of n + `magic32`; -252 ≤ n ≤ 254. The magic number's own bits are shifted out. */
function factors32(sum: Expr, terms: Terms): readonly [Expr, Expr] {
  const bits = terms.bind(bitcast("i32", sum));
  const half = terms.bind(binary("shr", bits, i32(1, terms)));
  return [power32(half, terms), power32(sub(bits, half), terms)];
}

/** value · 2^n (see `factors32`); rounds at most once. */
function scaleBy(value: Expr, sum: Expr, terms: Terms): Expr {
  const [first, second] = factors32(sum, terms);
  return mul(mul(value, first), second);
}

/** value · 2^n, where `n` is an integer in an f32 and -252 ≤ n ≤ 254. */
export const scale32 = (value: Expr, n: Expr, terms: Terms): Expr => scaleBy(value, add(n, f32(magic32, terms)), terms);

/** Exponential in f32, with an error of at most 1 ulp. */
export function expF32(operand: Expr, terms: Terms): Expr {
  const { excess, sum } = reduceF32(operand, terms);
  return scaleBy(add(excess, f32(1, terms)), sum, terms);
}

/** e^x as a sum of two numbers, good to 2^-25: for functions that would add to the error of a rounded e^x. */
export function expPairF32(operand: Expr, terms: Terms): { readonly high: Expr; readonly low: Expr } {
  const { excess, sum: power } = reduceF32(operand, terms);
  const one = f32(1, terms);
  const t = terms.bind(excess);
  const sum = terms.bind(add(t, one));
  const [first, second] = factors32(power, terms).map(terms.bind) as [Expr, Expr];
  const scaled = (value: Expr): Expr => terms.bind(mul(mul(value, first), second));
  return { high: scaled(sum), low: scaled(sub(t, sub(sum, one))) };
}

/**
 * e^x = 2^n · (1 + excess), and n + `magic32`. The limits of x are where results have long become 0 and infinity; min and max keep a NaN on
 * the left. The polynomial is the one of its degree that is nearest to (e^r - 1 - r) / r², relative to e^r: 3.1e-9 at most (a weighted fit
 * in f64 that was repeated until all extremes were alike, Lawson 1961).
 */
function reduceF32(operand: Expr, terms: Terms): { readonly excess: Expr; readonly sum: Expr } {
  const x = terms.bind(min(max(operand, f32(-104, terms)), f32(89, terms)));
  const magic = f32(magic32, terms);
  const sum = terms.bind(add(mul(x, f32(Math.LOG2E, terms)), magic));
  const n = terms.bind(sub(sum, magic));
  const high = sub(x, mul(n, f32(0.693359375, terms)));
  const r = terms.bind(sub(high, mul(n, f32(-2.1219444e-4, terms))));
  const q = polynomial("f32", r, expCoefficients, terms);
  return { excess: add(mul(q, mul(r, r)), r), sum };
}

const expCoefficients = [1.381446694e-3, 8.3687805148e-3, 4.1668394221e-2, 1.6666520107e-1, 0.49999993412];

/** 2^k for an integer k in an f64; -1022 ≤ k ≤ 1023. The sum's low bits are k + 1023; the shift leaves but those. */
const power64 = (k: Expr, terms: Terms): Expr =>
  bitcast("f64", binary("shl", bitcast("i64", add(k, f64(magic64 + 1023, terms))), i64(52, terms)));

/** value · 2^n where `n` is an integer in an f64; rounds at most once, also for -2044 ≤ n ≤ 2046. */
export function scale64(value: Expr, n: Expr, terms: Terms): Expr {
  const magic = f64(magic64, terms);
  const half = terms.bind(sub(add(mul(n, f64(0.5, terms)), magic), magic));
  return mul(mul(value, power64(half, terms)), power64(sub(n, half), terms));
}

/** Exponential in f64, within 1 ulp: the Taylor series to r^13 / 13!, whose rest is below 2^-57. Parts of ln 2 from fdlibm. */
export function expF64(operand: Expr, terms: Terms): Expr {
  const x = terms.bind(min(max(operand, f64(-746, terms)), f64(710, terms)));
  const magic = f64(magic64, terms);
  const n = terms.bind(sub(add(mul(x, f64(Math.LOG2E, terms)), magic), magic));
  const high = sub(x, mul(n, f64(0.6931471803691238, terms)));
  const r = terms.bind(sub(high, mul(n, f64(1.9082149292705877e-10, terms))));
  const q = polynomial("f64", r, inverseFactorials(13, 2), terms);
  const p = add(add(mul(q, mul(r, r)), r), f64(1, terms));
  return scale64(p, n, terms);
}

/** 1/from!, …, 1/to! with from ≥ to. */
function inverseFactorials(from: number, to: number): readonly number[] {
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  return Array.from({ length: from - to + 1 }, (_, index) => 1 / factorial(from - index));
}
