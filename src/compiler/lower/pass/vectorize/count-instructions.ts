// Number of vector instructions that a value takes, to choose between two forms of it. What both have in common does not matter, so
// that a node counts one; putting lanes together counts what it shuffles.

import { exprKey } from "../../../ir/expr-key.ts";
import type { Expr } from "../../../ir/loop-ir.ts";
import { operandsOf } from "../../../ir/visit.ts";
import { operandsFirst } from "../../../support/graph.ts";

/** Counts instructions; equal nodes are one. */
export function countInstructions(value: Expr): number {
  const counted = new Map<string, number>();
  for (const node of operandsFirst(value, vectorsOf)) {
    const count = countOf(node);
    if (count > 0) counted.set(exprKey(node), count);
  }
  return [...counted.values()].reduce((sum, count) => sum + count, 0);
}

/** Operands of an expression that are vectors. */
const vectorsOf = (expr: Expr): readonly Expr[] =>
  expr.kind === "load" || expr.kind === "ramp" || expr.kind === "broadcast" ? [] : operandsOf(expr);

function countOf(expr: Expr): number {
  switch (expr.kind) {
    case "const":
    case "var":
    case "local":
    case "ramp":
    case "broadcast":
      return 0;
    case "interleave":
    case "pick":
      return Math.max(1, expr.parts.length - 1);
    case "lanes":
      return expr.elements.every(({ kind }) => kind === "const") ? 0 : 2 * expr.elements.length;
    case "load":
    case "unary":
    case "binary":
    case "cast":
    case "bitcast":
    case "select":
    case "shuffle":
    case "fold":
    case "intrinsic":
      return 1;
  }
}
