// sigmoid(x) = 1 / (1 + e^-x), written with e^-|x|, which cannot overflow: for x < 0 it is e^x / (1 + e^x).

import { add, div, lt, mul, select, sub, unary } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { expF64, expPairF32 } from "./exp.ts";
import { type FloatType, f32, f64, type Terms } from "./terms.ts";

/** Logistic function, with an error of at most 2 ulp in either type. */
export const sigmoid = (type: FloatType, operand: Expr, terms: Terms): Expr =>
  type === "f32" ? sigmoidF32(terms.bind(operand), terms) : sigmoidF64(terms.bind(operand), terms);

/**
 * Rounded, e^x and 1 + e^x would cost 3 ulp. So both are pairs: a quotient of their high parts, then the correction
 * (numerator.low - quotient · denominator.low) / denominator.
 */
function sigmoidF32(x: Expr, terms: Terms): Expr {
  const power = expPairF32(unary("neg", unary("abs", x)), terms);
  const [one, zero] = [f32(1, terms), f32(0, terms)];
  const isNegative = terms.bind(lt(x, zero));
  const below = terms.bind(add(power.high, one));
  const belowLow = add(sub(power.high, sub(below, one)), power.low);
  const quotient = terms.bind(div(select(isNegative, power.high, one), below));
  const rest = sub(select(isNegative, power.low, zero), mul(quotient, belowLow));
  return add(quotient, div(rest, below));
}

function sigmoidF64(x: Expr, terms: Terms): Expr {
  const power = terms.bind(expF64(unary("neg", unary("abs", x)), terms));
  const one = f64(1, terms);
  return div(select(lt(x, f64(0, terms)), power, one), add(power, one));
}
