// Statement or value → bytes of the widest element that its vectors have: what decides how many lanes fit a register.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, IrType, Stmt } from "../../ir/loop-ir.ts";
import { operandsOf, ownExprs, walkStmt } from "../../ir/visit.ts";
import { isPowerOfTwo } from "../../support/integer-math.ts";
import { constantDivisor } from "./constant-division.ts";
import { elementBytes, storedElement } from "./element.ts";

/** Bytes of the widest element in a vector; 1 if there is no vector. Indices of loads and stores are addresses, no vectors of their own. */
export function widestElement(body: Stmt): number {
  let widest = 1;
  walkStmt(body, (stmt) => {
    const values = stmt.kind === "store" ? [stmt.value] : ownExprs(stmt);
    widest = Math.max(widest, ...values.map(widestOf));
  });
  return widest;
}

/** The same of a value. */
export function widestOf(expr: Expr): number {
  const own = lanesOf(expr) === 1 ? 1 : Math.max(elementBytes[storedElement[expr.dtype]], widestOnTheWay(expr));
  const operands = expr.kind === "load" ? [] : operandsOf(expr);
  return Math.max(own, ...operands.map(widestOf));
}

/** Bytes of the widest element on the way: 16-bit floats are converted by way of f32, bytes divided as i16. */
function widestOnTheWay(expr: Expr): number {
  if (expr.kind === "cast") return isHalf(expr.dtype) || isHalf(expr.operand.dtype) ? 4 : 1;
  const divides = expr.kind === "binary" && (expr.op === "floorDiv" || expr.op === "mod");
  return divides && !isPowerOfTwo(constantDivisor(expr.right) ?? 1) ? 2 : 1;
}

const isHalf = (dtype: IrType): boolean => dtype === "f16" || dtype === "bf16";
