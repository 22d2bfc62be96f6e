// erf(x) for f64, after fdlibm's s_erf.c: rational approximations on 0..0.84375 and ..1.25, beyond that
// 1 - e^(-x² - 0.5625 + R(1/x²) / S(1/x²)) / |x|, with other coefficients from 1/0.35 on.

import { add, div, lt, min, mul, select, sub, unary } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { expF64 } from "./exp.ts";
import { f64, polynomial, signOf, type Terms, withSign } from "./terms.ts";

/** Error function in f64, within 2 ulp. fdlibm rounds x in e^(-x²) to keep erfc exact; beside 1 the error does not count. */
export function erfF64(operand: Expr, terms: Terms): Expr {
  const x = terms.bind(operand);
  const size = terms.bind(unary("abs", x));
  const square = terms.bind(mul(size, size));
  const near = add(size, mul(size, ratio(square, nearZero, terms)));
  const around1 = add(f64(0.8450629115104675, terms), ratio(terms.bind(sub(size, f64(1, terms))), aroundOne, terms));
  const result = select(lt(size, f64(1.25, terms)), around1, farOut(size, terms));
  const magnitude = select(lt(size, f64(0.84375, terms)), near, result);
  return withSign("f64", magnitude, signOf("f64", x, terms));
}

/** Error function of large numbers. From 6 on the result is 1. min keeps a NaN on the left. */
function farOut(size: Expr, terms: Terms): Expr {
  const t = terms.bind(min(size, f64(6, terms)));
  const square = terms.bind(mul(t, t));
  const inverse = terms.bind(div(f64(1, terms), square));
  const isNear = lt(t, f64(1 / 0.35, terms));
  const quotient = select(isNear, ratio(inverse, middle, terms), ratio(inverse, outside, terms));
  const power = expF64(sub(quotient, add(square, f64(0.5625, terms))), terms);
  return sub(f64(1, terms), div(power, t));
}

interface Rational {
  readonly over: readonly number[];
  readonly under: readonly number[];
}

/** Quotient of two polynomials; coefficients of the highest power first. */
const ratio = (x: Expr, { over, under }: Rational, terms: Terms): Expr =>
  div(polynomial("f64", x, over, terms), polynomial("f64", x, under, terms));

const nearZero: Rational = {
  over: [-2.3763016656650163e-5, -0.005770270296489442, -0.02848174957559851, -0.3250421072470015, 0.12837916709551256],
  under: [
    -3.960228278775368e-6, 0.00013249473800432164, 0.005081306281875766, 0.0650222499887673, 0.39791722395915535, 1,
  ],
};
const aroundOne: Rational = {
  over: [
    -0.002166375594868791, 0.035478304325618236, -0.11089469428239668, 0.31834661990116175, -0.3722078760357013,
    0.41485611868374833, -0.0023621185607526594,
  ],
  under: [
    0.011984499846799107, 0.01363708391202905, 0.12617121980876164, 0.07182865441419627, 0.540397917702171,
    0.10642088040084423, 1,
  ],
};
const middle: Rational = {
  over: [
    -9.814329344169145, -81.2874355063066, -184.60509290671104, -162.39666946257347, -62.375332450326006,
    -10.558626225323291, -0.6938585727071818, -0.009864944034847148,
  ],
  under: [
    -0.0604244152148581, 6.570249770319282, 108.63500554177944, 429.00814002756783, 645.3872717332679,
    434.56587747522923, 137.65775414351904, 19.651271667439257, 1,
  ],
};
const outside: Rational = {
  over: [
    -483.5191916086514, -1025.0951316110772, -637.5664433683896, -160.63638485582192, -17.757954917754752,
    -0.799283237680523, -0.0098649429247001,
  ],
  under: [
    -22.44095244658582, 474.52854120695537, 2553.0504064331644, 3199.8582195085955, 1536.729586084437,
    325.7925129965739, 30.33806074348246, 1,
  ],
};
