// Expr → a text that is the same exactly for the same expression: what maps and orders of expressions go by.
// Shorter and faster than the printed form, and not meant to be read.

import type { Expr } from "./loop-ir.ts";
import { operandsOf } from "./visit.ts";

const list = (exprs: readonly Expr[]): string => exprs.map(exprKey).join(",");

export function exprKey(expr: Expr): string {
  switch (expr.kind) {
    case "const":
      return Object.is(expr.value, -0) ? `-0:${expr.dtype}` : `${expr.value}:${expr.dtype}`;
    case "var":
      return expr.name;
    case "local":
      return `%${expr.name}`;
    case "load":
      return `${expr.buffer}[${list(expr.indices)}${expr.active ? `;${exprKey(expr.active)}` : ""}]`;
    case "unary":
      return `${expr.op}(${exprKey(expr.operand)})`;
    case "binary":
      return `(${exprKey(expr.left)} ${expr.op} ${exprKey(expr.right)})`;
    case "select":
      return `(${exprKey(expr.condition)}?${exprKey(expr.then)}:${exprKey(expr.else)})`;
    case "cast":
    case "bitcast":
      return `${expr.kind}:${expr.dtype}(${exprKey(expr.operand)})`;
    case "ramp":
      return `ramp(${exprKey(expr.base)},${expr.stride},${expr.lanes})`;
    case "broadcast":
      return `x${expr.lanes}(${exprKey(expr.value)})`;
    case "lanes":
      return `{${list(expr.elements)}}`;
    case "intrinsic":
      return `${expr.name}(${list(expr.operands)})`;
  }
}

/** As a comparison of keys, which it mostly saves building. */
export function sameExpr(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.dtype !== b.dtype) return false;
  const [left, right] = [operandsOf(a), operandsOf(b)];
  if (left.length === 0 || left.length !== right.length)
    return left.length === right.length && exprKey(a) === exprKey(b);
  return left.every((operand, at) => sameExpr(operand, right[at]!)) && exprKey(a) === exprKey(b);
}
