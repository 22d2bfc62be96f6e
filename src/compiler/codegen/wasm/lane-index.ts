// One lane of a vector index, as a scalar expression: (ramp(b, 2, 4), lane 3) → b + 6.

import type { Expr } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { lanesOf } from "./value-type.ts";

export function laneIndex(expr: Expr, lane: number): Expr {
  const at = (part: Expr) => laneIndex(part, lane);
  switch (expr.kind) {
    case "ramp":
      return plus(expr.base, lane * expr.stride);
    case "broadcast":
      return expr.value;
    case "lanes":
      return expr.elements[lane] ?? expr;
    case "unary":
    case "cast":
    case "bitcast":
      return { ...expr, operand: at(expr.operand) };
    case "binary":
      return { ...expr, left: at(expr.left), right: at(expr.right) };
    case "select":
      return {
        ...expr,
        condition: lanesOf(expr.condition) === 1 ? expr.condition : at(expr.condition),
        then: at(expr.then),
        else: at(expr.else),
      };
    case "load":
      return { ...expr, indices: expr.indices.map(at), active: null };
    case "const":
    case "var":
    case "local":
      invariant(false, `a ${expr.kind} as the vector index of an access`);
  }
}

function plus(base: Expr, amount: number): Expr {
  if (amount === 0) return base;
  return { kind: "binary", dtype: "i32", op: "add", left: base, right: { kind: "const", dtype: "i32", value: amount } };
}
