// Expressions by the choices under which they are evaluated: a load that a padding leaves out may lie outside of its buffer.

import type { Expr, Select } from "../../../ir/loop-ir.ts";
import { lanesOf, operandsOf } from "../../../ir/visit.ts";

/** One side of a choice by a scalar; of one by a vector both sides are evaluated. */
export interface Choice {
  readonly condition: Expr;
  readonly side: "then" | "else";
}

/** Visits an expression and all that it is made of, once for each way in which it is chosen. */
export function walkChosen(value: Expr, visit: (expr: Expr, chosen: readonly Choice[]) => void): void {
  const numbers = new Map<Select, number>();
  const numberOf = (select: Select): number => {
    const number = numbers.get(select) ?? numbers.size;
    numbers.set(select, number);
    return number;
  };
  /** Expressions that were visited, by the choices that lead to them: operands are shared, and each is visited once. */
  const known = new Map<string, Set<Expr>>();
  const walk = (expr: Expr, chosen: readonly Choice[], way: string): void => {
    const visited = known.get(way) ?? new Set();
    if (visited.has(expr)) return;
    known.set(way, visited.add(expr));
    visit(expr, chosen);
    if (expr.kind !== "select" || lanesOf(expr.condition) > 1) {
      for (const operand of operandsOf(expr)) walk(operand, chosen, way);
      return;
    }
    const { condition } = expr;
    walk(condition, chosen, way);
    for (const side of ["then", "else"] as const)
      walk(expr[side], [...chosen, { condition, side }], `${way} ${numberOf(expr)} ${side}`);
  };
  walk(value, [], "");
}
