// log(x) = e · ln 2 + log(m) with x = 2^e · m and m in √½..√2, both taken from the bits of x.

import { add, binary, bitcast, cast, div, eq, gt, lt, mul, ne, or, select, sub } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { type FloatType, f32, f64, float, i32, i64, polynomial, type Terms } from "./terms.ts";

/** √½ as the bits of an f32. */
const sqrtHalfBits = 0x3f3504f3;

/** The fraction m, about √½..√2, and the exponent e (an f32) of a positive finite f32, subnormal or not. */
export function splitF32(operand: Expr, terms: Terms): { readonly m: Expr; readonly e: Expr } {
  const isSubnormal = terms.bind(lt(operand, f32(2 ** -126, terms)));
  const x = select(isSubnormal, mul(operand, f32(2 ** 23, terms)), operand);
  const bits = terms.bind(sub(bitcast("i32", x), i32(sqrtHalfBits, terms)));
  const k = cast("f32", binary("shr", bits, i32(23, terms)));
  const e = sub(k, select(isSubnormal, f32(23, terms), f32(0, terms)));
  const fraction = add(binary("bitAnd", bits, i32(0x7fffff, terms)), i32(sqrtHalfBits, terms));
  return { m: terms.bind(bitcast("f32", fraction)), e: terms.bind(e) };
}

/** Logarithm in f32, within 1 ulp. Cephes, logf.c. */
export function logF32(operand: Expr, terms: Terms): Expr {
  const x = terms.bind(operand);
  const { m, e } = splitF32(x, terms);
  const f = terms.bind(sub(m, f32(1, terms)));
  const z = terms.bind(mul(f, f));
  const cubic = mul(mul(polynomial("f32", f, logCoefficients, terms), f), z);
  const low = sub(add(cubic, mul(e, f32(-2.1219444e-4, terms))), mul(z, f32(0.5, terms)));
  return logSpecial("f32", x, add(add(f, low), mul(e, f32(0.693359375, terms))), terms);
}

const logCoefficients = [
  7.0376836292e-2, -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
  2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
];

/** Logarithm of special numbers: NaN below 0, -∞ of 0; ∞ and NaN stay. */
function logSpecial(type: FloatType, x: Expr, result: Expr, terms: Terms): Expr {
  const of = (value: number): Expr => float(type, value, terms);
  const isInfiniteOrNaN = or(eq(x, of(Number.POSITIVE_INFINITY)), ne(x, x));
  const small = select(eq(x, of(0)), of(Number.NEGATIVE_INFINITY), of(Number.NaN));
  return select(isInfiniteOrNaN, x, select(gt(x, of(0)), result, small));
}

/** The fraction m in 1..2 and the exponent e (an f64) of a positive finite f64, subnormal or not. */
export function splitF64(operand: Expr, terms: Terms): { readonly m: Expr; readonly e: Expr } {
  const isSubnormal = terms.bind(lt(operand, f64(2 ** -1022, terms)));
  const bits = terms.bind(bitcast("i64", select(isSubnormal, mul(operand, f64(2 ** 54, terms)), operand)));
  // An integer below 2^52, or-ed into the bits of 2^52, makes 2^52 + that integer.
  const power = bitcast("i64", f64(2 ** 52, terms));
  const biased = bitcast("f64", binary("bitOr", binary("shr", bits, i64(52, terms)), power));
  const e = sub(biased, select(isSubnormal, f64(2 ** 52 + 1023 + 54, terms), f64(2 ** 52 + 1023, terms)));
  const fraction = binary("bitAnd", bits, i64(2 ** 52 - 1, terms));
  const m = bitcast("f64", binary("bitOr", fraction, bitcast("i64", f64(1, terms))));
  return { m: terms.bind(m), e: terms.bind(e) };
}

/** Logarithm in f64, within 1 ulp. fdlibm, e_log.c. */
export function logF64(operand: Expr, terms: Terms): Expr {
  const x = terms.bind(operand);
  const split = splitF64(x, terms);
  const isBig = terms.bind(gt(split.m, f64(Math.SQRT2, terms)));
  const e = terms.bind(select(isBig, add(split.e, f64(1, terms)), split.e));
  const f = terms.bind(sub(select(isBig, mul(split.m, f64(0.5, terms)), split.m), f64(1, terms)));
  const s = terms.bind(div(f, add(f, f64(2, terms))));
  const z = terms.bind(mul(s, s));
  const r = mul(z, polynomial("f64", z, fdlibmLog, terms));
  const half = terms.bind(mul(mul(f, f), f64(0.5, terms)));
  const low = add(mul(s, add(half, r)), mul(e, f64(1.9082149292705877e-10, terms)));
  const result = sub(mul(e, f64(0.6931471803691238, terms)), sub(sub(half, low), f));
  return logSpecial("f64", x, result, terms);
}

const fdlibmLog = [
  0.14798198605116586, 0.15313837699209373, 0.1818357216161805, 0.22222198432149784, 0.2857142874366239,
  0.3999999999940942, 0.6666666666666735,
];
