// An update of one element in each lane, by a sum, a product, a minimum or a maximum → one update by the lanes of a vector, combined.
//
//   C[i] = C[i] + A[i*8 + v], lanes v     →     C[i] = C[i] + fold.add(A[ramp(i*8, 1, 8)])

import { fold, foldOps } from "../../../ir/build.ts";
import { exprKey } from "../../../ir/expr-key.ts";
import type { Binary, Expr, FoldOp, For, Stmt, Store } from "../../../ir/loop-ir.ts";
import { updateBinary, updateStore } from "../../../ir/update.ts";
import { someExpr } from "../../../ir/visit.ts";
import { mentions } from "./active-lanes.ts";
import { type VectorSite, vectorValue } from "./vector-value.ts";

/** Says whether the loop does nothing but such updates. */
export const foldsLanes = ({ name, body }: For): boolean => updateIn(body, name) !== null;

/** Returns the one update. Null: the statement is none, or its value has no vector form. */
export function foldLanes(store: Store, site: VectorSite): Stmt | null {
  const update = updateIn(store, site.name);
  const vector = update && vectorValue(update.right, site, null);
  if (!vector) return null;
  return updateStore(store, { value: updateBinary(update, { right: fold(update.op, vector.expr) }) });
}

interface Update extends Binary {
  readonly op: FoldOp;
}

/** The value of an update whose element is the same in all lanes. */
function updateIn(stmt: Stmt, lane: string): Update | null {
  if (stmt.kind !== "store" || stmt.active || stmt.indices.some((index) => mentions(index, lane))) return null;
  const { value, buffer, indices } = stmt;
  if (value.kind !== "binary" || value.dtype === "bool" || !foldOps.has(value.op)) return null;
  const isResult = (expr: Expr): boolean => expr.kind === "load" && expr.buffer === buffer;
  const { left, right } = value;
  if (left.kind !== "load" || !isResult(left) || someExpr(right, isResult)) return null;
  const isSame = left.indices.every((index, dim) => exprKey(index) === exprKey(indices[dim]!));
  return isSame ? (value as Update) : null;
}
