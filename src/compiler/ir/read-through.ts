// A block's expression in place of the reads of what it computes.

import { exprKey } from "./expr-key.ts";
import type { Block, Expr } from "./loop-ir.ts";
import { mapExpr, substitute } from "./visit.ts";

/** Replaces reads of the block's buffer by its value at the indices read: one value for equal indices. */
export function readThrough(expr: Expr, block: Pick<Block, "axes" | "buffer" | "value">): Expr {
  const values = new Map<string, Expr>();
  return mapExpr(expr, (node) => {
    if (node.kind !== "load" || node.buffer !== block.buffer) return node;
    const key = node.indices.map(exprKey).join();
    const places = new Map(block.axes.map((axis, at) => [axis.name, node.indices[at]!]));
    const value = values.get(key) ?? substitute(block.value, places);
    values.set(key, value);
    return value;
  });
}
