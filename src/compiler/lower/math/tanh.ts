// tanh(x): up to 0.625 x + x · x² · P(x²), above 1 - 2 / (e^2x + 1); on |x|, the sign put back by its bit.

import { add, div, lt, min, mul, select, sub, unary } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { expF32, expF64 } from "./exp.ts";
import { type FloatType, float, polynomial, signOf, type Terms, withSign } from "./terms.ts";

/** Hyperbolic tangent, with an error of at most 2 ulp in either type. */
export function tanh(type: FloatType, operand: Expr, terms: Terms): Expr {
  const of = (value: number): Expr => float(type, value, terms);
  const x = terms.bind(operand);
  const size = terms.bind(unary("abs", x));
  const square = terms.bind(mul(size, size));
  const small = add(size, mul(mul(size, square), smallTanh(type, square, terms)));
  // From 20 on the result is 1 in both types.
  const twice = mul(min(size, of(20)), of(2));
  const power = type === "f32" ? expF32(twice, terms) : expF64(twice, terms);
  const large = sub(of(1), div(of(2), add(power, of(1))));
  return withSign(type, select(lt(size, of(0.625)), small, large), signOf(type, x, terms));
}

/** (tanh x / x - 1) / x² as a function of x². Cephes, tanhf.c and tanh.c. */
function smallTanh(type: FloatType, square: Expr, terms: Terms): Expr {
  if (type === "f32") return polynomial(type, square, tanhCoefficients, terms);
  return div(polynomial(type, square, numerator, terms), polynomial(type, square, denominator, terms));
}

const tanhCoefficients = [-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1];
const numerator = [-0.9643991794250523, -99.28772310019185, -1614.6876844170845];
const denominator = [1, 112.81167849163293, 2235.4883906010045, 4844.063053251255];
