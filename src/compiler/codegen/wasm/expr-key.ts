// Scalar integer expression → canonical text, the same for expressions that always have the same value.

import type { Expr } from "../../ir/loop-ir.ts";

export function exprKey(expr: Expr): string {
  if (expr.kind === "var" || expr.kind === "local") return expr.name;
  if (expr.kind === "const") return String(expr.value);
  if (expr.kind === "binary") return `${expr.op}(${exprKey(expr.left)},${exprKey(expr.right)})`;
  return JSON.stringify(expr);
}
