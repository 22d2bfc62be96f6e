// Operands that are evaluated together with an expression.

import type { Expr } from "./loop-ir.ts";
import { operandsOf } from "./operands.ts";

/** Operands that are evaluated whenever the expression is: not the sides of a choice, nor the right side of `and` and `or`. */
export function evaluatedAlways(expr: Expr): readonly Expr[] {
  if (expr.kind === "select") return [expr.condition];
  const isLazy = expr.kind === "binary" && (expr.op === "and" || expr.op === "or");
  return isLazy ? [expr.left] : operandsOf(expr);
}
