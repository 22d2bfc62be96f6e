// Facts about the expressions of a function: how many lanes one has, and how wide the widest vector element is.

import type { Expr, Stmt } from "../../ir/loop-ir.ts";
import { elementBytes, storedElement } from "./element.ts";

/** Number of lanes of the value; 1 for a scalar. */
export function lanesOf(expr: Expr): number {
  switch (expr.kind) {
    case "const":
    case "var":
      return 1;
    case "local":
    case "ramp":
    case "broadcast":
      return expr.lanes;
    case "lanes":
      return expr.elements.length;
    case "load":
      return lanesOf(expr.indices[0]!);
    case "unary":
    case "cast":
    case "bitcast":
      return lanesOf(expr.operand);
    case "binary":
      return lanesOf(expr.left);
    case "select":
      return lanesOf(expr.then);
  }
}

/** The expressions directly inside. */
export function operandsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "const":
    case "var":
    case "local":
      return [];
    case "ramp":
      return [expr.base];
    case "broadcast":
      return [expr.value];
    case "lanes":
      return expr.elements;
    case "load":
      return expr.active ? [...expr.indices, expr.active] : expr.indices;
    case "unary":
    case "cast":
    case "bitcast":
      return [expr.operand];
    case "binary":
      return [expr.left, expr.right];
    case "select":
      return [expr.condition, expr.then, expr.else];
  }
}

/** Bytes of the widest element that any vector of the statement has; 1 if there is none. Index vectors do not count. */
export function widestElement(stmt: Stmt): number {
  switch (stmt.kind) {
    case "for":
      return widestElement(stmt.body);
    case "seq":
      return Math.max(1, ...stmt.body.map(widestElement));
    case "if":
      return Math.max(widestOf(stmt.condition), widestElement(stmt.then), stmt.else ? widestElement(stmt.else) : 1);
    case "store":
    case "define":
    case "assign":
      return widestOf(stmt.value);
    case "block":
      return 1;
  }
}

function widestOf(expr: Expr): number {
  if (expr.kind === "ramp") return 4;
  const own = lanesOf(expr) === 1 ? 1 : elementBytes[storedElement[expr.dtype]];
  const inner = expr.kind === "load" ? [] : operandsOf(expr);
  return inner.reduce((widest, operand) => Math.max(widest, widestOf(operand)), own);
}
