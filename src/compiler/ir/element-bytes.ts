// Type of an element → its bytes; a value → those of its widest element, and what it takes to convert elements to others.

import { byteSize, isFloat } from "../expr/dtype.ts";
import { walk } from "../support/graph.ts";
import { exprKey } from "./expr-key.ts";
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

/** Counts the instructions that convert elements in `value`: one to another width, one between integers and floats. Equal ones count once. */
export function conversionsIn(value: Expr): number {
  const counts = new Map<string, number>();
  walk(value, computedFrom, (expr) => {
    if (expr.kind !== "cast" || expr.dtype === "bool" || expr.operand.dtype === "bool") return;
    const { dtype: from } = expr.operand;
    const [widths, kinds] = [
      bytesOfElement(from) !== bytesOfElement(expr.dtype),
      isFraction(from) !== isFraction(expr.dtype),
    ];
    counts.set(exprKey(expr), Number(widths) + Number(kinds));
  });
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

const isFraction = (dtype: IrType): boolean => dtype !== "i64" && isFloat(dtype);

/** The operands that are lanes of values: no indices, no conditions. */
function computedFrom(expr: Expr): readonly Expr[] {
  if (expr.kind === "binary") return [expr.left, expr.right];
  if (expr.kind === "select") return [expr.then, expr.else];
  return expr.kind === "unary" || expr.kind === "cast" ? [expr.operand] : [];
}
