// Indices at the edges of a tensor: clamped to its first and last element, or wrapped around. Away from the edges they are sums of axes.
//
//   A[min(max(x + k - 1, 0), n - 1)]        away from the edges A[x + k - 1]
//   A[(x + 1) mod n]                                            A[x + 1]

import type { Binary, Expr } from "./loop-ir.ts";

/** An index that is bounded by a number, or wrapped around at a multiple of it. */
export interface EdgeIndex extends Binary {
  readonly op: "min" | "max" | "mod";
  readonly right: Extract<Expr, { readonly kind: "const" }>;
}

export const isEdgeIndex = (expr: Expr): expr is EdgeIndex =>
  expr.kind === "binary" &&
  expr.dtype === "i32" &&
  (expr.op === "min" || expr.op === "max" || expr.op === "mod") &&
  expr.right.kind === "const" &&
  (expr.op !== "mod" || expr.right.value > 0);

/** The index without its bounds. */
export const withoutEdges = (expr: Expr): Expr => (isEdgeIndex(expr) ? withoutEdges(expr.left) : expr);
