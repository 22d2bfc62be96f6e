// An expression → the same one with equal parts as one node, whether they were one object or were written twice. What
// has a text, a cost or code of its own for everything that is computed once starts from this.

import { foldOnce } from "../support/graph.ts";
import { remembered } from "../support/remembered.ts";
import { children, withOperands } from "./expr-visit.ts";
import type { ScalarExpr } from "./scalar-expr.ts";

export const interned: (expr: ScalarExpr) => ScalarExpr = remembered((expr) => {
  const known = new Map<string, ScalarExpr>();
  const numbers = new Map<ScalarExpr, number>();
  return foldOnce<ScalarExpr, ScalarExpr>(expr, children, (node, of) => {
    const operands = children(node).map((operand) => numbers.get(of(operand))!);
    const key = `${headOf(node)}(${operands.join()})`;
    const equal = known.get(key);
    if (equal) return equal;
    const first = withOperands(node, of);
    known.set(key, first);
    numbers.set(first, numbers.size);
    return first;
  });
});

/** All that a node says beside its operands. */
export function headOf(node: ScalarExpr): string {
  switch (node.kind) {
    case "const":
      return `${node.dtype} ${Object.is(node.value, -0) ? "-0" : node.value}`;
    case "axis":
      return `axis ${node.name}`;
    case "read":
      return `read ${node.dtype} ${node.tensor}`;
    case "unary":
    case "binary":
      return node.op;
    case "select":
      return "select";
    case "cast":
      return `cast ${node.dtype}`;
  }
}
