// Pattern of a read: its indices without their constants. Reads of one pattern move alike, at a fixed distance from
// each other, so one copy serves all of them.
//
//   X[k, i], X[k, i + 1]  →  "k, i"        X[2*y + ky, 3]  →  "2*y + ky, 0"

import { fromAffine, toAffine } from "./affine.ts";
import type { Expr } from "./loop-ir.ts";
import { printExpr } from "./print-expr.ts";

/** The indices in their canonical form, each without its constant. */
export const readPattern = (indices: readonly Expr[]): string =>
  indices.map((index) => printExpr(fromAffine({ ...toAffine(index), constant: 0 }))).join(", ");
