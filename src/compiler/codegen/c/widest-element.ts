// Statement → bytes of the widest element that its vectors have: what decides how many lanes fit a register.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, Stmt } from "../../ir/loop-ir.ts";
import { operandsOf, ownExprs, walkStmt } from "../../ir/visit.ts";
import { elementBytes, storedElement } from "./element.ts";

/** 1 if there is no vector. The indices of loads and stores are addresses, no vectors of their own. */
export function widestElement(body: Stmt): number {
  let widest = 1;
  walkStmt(body, (stmt) => {
    const values = stmt.kind === "store" ? [stmt.value] : ownExprs(stmt);
    widest = Math.max(widest, ...values.map(widestOf));
  });
  return widest;
}

function widestOf(expr: Expr): number {
  const own = lanesOf(expr) === 1 ? 1 : Math.max(elementBytes[storedElement[expr.dtype]], widestOnTheWay(expr));
  const operands = expr.kind === "load" ? [] : operandsOf(expr);
  return Math.max(own, ...operands.map(widestOf));
}

/** 16-bit floats are converted by way of f32. */
const widestOnTheWay = (expr: Expr): number =>
  expr.kind === "cast" && [expr.dtype, expr.operand.dtype].some((dtype) => dtype === "f16" || dtype === "bf16") ? 4 : 1;
