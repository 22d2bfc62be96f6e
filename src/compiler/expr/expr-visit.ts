// Walking a ScalarExpr: its children, all its nodes, the axes and tensors that it names.

import type { AxisExpr, ReadExpr, ScalarExpr } from "./scalar-expr.ts";

/** The operands of a node, in the order in which they are printed. */
export function children(expr: ScalarExpr): readonly ScalarExpr[] {
  switch (expr.kind) {
    case "const":
    case "axis":
      return [];
    case "read":
      return expr.indices;
    case "unary":
    case "cast":
      return [expr.operand];
    case "binary":
      return [expr.left, expr.right];
    case "select":
      return [expr.condition, expr.then, expr.else];
  }
}

/** All nodes, parents first. */
export function nodes(expr: ScalarExpr): readonly ScalarExpr[] {
  const found: ScalarExpr[] = [];
  const visit = (node: ScalarExpr): void => {
    found.push(node);
    children(node).forEach(visit);
  };
  visit(expr);
  return found;
}

export const axesIn = (expr: ScalarExpr): readonly AxisExpr[] => [
  ...new Set(nodes(expr).filter((node) => node.kind === "axis")),
];

export const readsIn = (expr: ScalarExpr): readonly ReadExpr[] => nodes(expr).filter((node) => node.kind === "read");

export const readsAny = (expr: ScalarExpr): boolean => expr.kind === "read" || children(expr).some(readsAny);

/** Rebuilt from the leaves up; `change` sees each node after its operands. */
export function mapScalar(expr: ScalarExpr, change: (node: ScalarExpr) => ScalarExpr): ScalarExpr {
  const map = (operand: ScalarExpr): ScalarExpr => mapScalar(operand, change);
  switch (expr.kind) {
    case "const":
    case "axis":
      return change(expr);
    case "read":
      return change({ ...expr, indices: expr.indices.map(map) });
    case "unary":
    case "cast":
      return change({ ...expr, operand: map(expr.operand) });
    case "binary":
      return change({ ...expr, left: map(expr.left), right: map(expr.right) });
    case "select":
      return change({ ...expr, condition: map(expr.condition), then: map(expr.then), else: map(expr.else) });
  }
}
