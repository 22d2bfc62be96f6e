// Walking a ScalarExpr: its children, all its nodes, the axes and tensors that it names.

import { fold, type NodeFunction, walk } from "../support/graph.ts";
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

/**
 * All nodes, parents first: of a small expression each as often as it is written, of a large one once (`support/graph.ts`).
 */
export function nodes(expr: ScalarExpr): readonly ScalarExpr[] {
  const found: ScalarExpr[] = [];
  walk(expr, children, (node) => found.push(node));
  return found;
}

export const axesIn = (expr: ScalarExpr): readonly AxisExpr[] => [
  ...new Set(nodes(expr).filter((node) => node.kind === "axis")),
];

export const readsIn = (expr: ScalarExpr): readonly ReadExpr[] => nodes(expr).filter((node) => node.kind === "read");

/** Rebuilds from the leaves up; `change` sees each node after its operands. What was shared stays shared where it is large. */
export const mapScalar = (expr: ScalarExpr, change: (node: ScalarExpr) => ScalarExpr): ScalarExpr =>
  fold(expr, children, (node, map) => change(withOperands(node, map)));

/** The node with `map` of its operands. */
export function withOperands(expr: ScalarExpr, map: (operand: ScalarExpr) => ScalarExpr): ScalarExpr {
  switch (expr.kind) {
    case "const":
    case "axis":
      return expr;
    case "read":
      return { ...expr, indices: expr.indices.map(map) };
    case "unary":
    case "cast":
      return { ...expr, operand: map(expr.operand) };
    case "binary":
      return { ...expr, left: map(expr.left), right: map(expr.right) };
    case "select":
      return { ...expr, condition: map(expr.condition), then: map(expr.then), else: map(expr.else) };
  }
}

/** A value of each node from those of its operands, once for each node of a large expression. */
export const foldScalar = <T>(expr: ScalarExpr, f: NodeFunction<ScalarExpr, T>): T => fold(expr, children, f);
