// Reductions whose parts combine in any order, with another rounding where they are of floats.

import { foldOps } from "../ir/build.ts";
import type { Block, Expr } from "../ir/loop-ir.ts";
import { someExpr } from "../ir/visit.ts";

/** Says whether a block updates its result by a sum, a product, a maximum or a minimum with what does not depend on it. */
export const isAssociative = ({ value, buffer }: Block): boolean =>
  value.kind === "binary" &&
  foldOps.has(value.op) &&
  isLoadOf(value.left, buffer) &&
  !someExpr(value.right, (it) => isLoadOf(it, buffer));

export const isLoadOf = (expr: Expr, buffer: string): boolean => expr.kind === "load" && expr.buffer === buffer;
