// One lane of a vector index, as a scalar expression: (ramp(b, 2, 4), lane 3) → b + 6.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { mapOperands } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";

export function laneIndex(expr: Expr, lane: number): Expr {
  if (lanesOf(expr) === 1) return expr;
  if (expr.kind === "ramp") return plus(expr.base, lane * expr.stride);
  if (expr.kind === "broadcast") return expr.value;
  if (expr.kind === "lanes") return expr.elements[lane] ?? expr;
  invariant(expr.kind !== "local", "a vector local as an index");
  return mapOperands(expr, (operand) => laneIndex(operand, lane));
}

function plus(base: Expr, amount: number): Expr {
  if (amount === 0) return base;
  return { kind: "binary", dtype: "i32", op: "add", left: base, right: { kind: "const", dtype: "i32", value: amount } };
}
