// erf(x) for f32: near 0 an odd polynomial, farther out 1 - e^p(|x|).

import { add, gt, min, mul, select, sub, unary } from "../../ir/build.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { expF32 } from "./exp.ts";
import { f32, polynomial, signOf, type Terms, withSign } from "./terms.ts";

/** Error function in f32, within 2 ulp. Coefficients by N. Juffa (public domain, found by a Remez search). */
export function erfF32(operand: Expr, terms: Terms): Expr {
  const x = terms.bind(operand);
  const size = terms.bind(unary("abs", x));
  const square = mul(x, x);
  const near = add(mul(polynomial("f32", terms.bind(square), nearZero, terms), x), x);
  // From 4 on the result is 1. min keeps a NaN on the left.
  const t = terms.bind(min(size, f32(4, terms)));
  const exponent = sub(mul(polynomial("f32", t, farOut, terms), t), t);
  const far = withSign("f32", sub(f32(1, terms), expF32(exponent, terms)), signOf("f32", x, terms));
  return select(gt(size, f32(0.927734375, terms)), far, near);
}

const nearZero = [-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1];
const farOut = [
  -1.7285347e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2, -1.06777877e-1, -6.34846687e-1, -1.28717512e-1,
];
