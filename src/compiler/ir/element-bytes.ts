// Type of an element → its bytes, and those of the widest element of a value.

import { byteSize } from "../expr/dtype.ts";
import { walk } from "../support/graph.ts";
import type { Expr, IrType } from "./loop-ir.ts";

export const bytesOfElement = (dtype: IrType): number => (dtype === "i64" ? 8 : byteSize[dtype]);

/** Bytes of the widest element that a value is computed by way of: it decides how many lanes fit a register. */
export function widestBytesOf(value: Expr): number {
  let widest = 1;
  walk(value, computedFrom, (expr) => {
    if (expr.kind === "var" || expr.kind === "const") return;
    widest = Math.max(widest, bytesOfElement(expr.dtype));
  });
  return widest;
}

/** The operands that are lanes of values: no indices, no conditions. */
function computedFrom(expr: Expr): readonly Expr[] {
  if (expr.kind === "binary") return [expr.left, expr.right];
  if (expr.kind === "select") return [expr.then, expr.else];
  return expr.kind === "unary" || expr.kind === "cast" ? [expr.operand] : [];
}
