// Fragments: operands of matrix instructions, in registers of those instructions' own. What may be done with them:
//
//   let acc = broadcast(0, 256)                   zeros
//   acc = tdpbssd(acc, load_0, A[ramp(…)])        a product, of fragments and of what memory holds of them
//   C[ramp(0, 1, 256)] = acc                      a move of all of it, row by row

import type { Expr, IntrinsicCall, Stmt } from "./loop-ir.ts";
import { walkStmt } from "./visit.ts";

/** Says whether an expression is a call whose operands and result are fragments. */
export const isOnFragments = (expr: Expr): expr is IntrinsicCall =>
  expr.kind === "intrinsic" && expr.meaning.buffers[0]!.memory === "fragment";

/** Names of the locals that are fragments. */
export function fragmentsIn(body: Stmt): ReadonlySet<string> {
  const fragments = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "define" && stmt.memory === "fragment") fragments.add(stmt.name);
  });
  return fragments;
}

/** Says whether an access reads or writes all of a fragment: rows of neighbouring elements, at any distance. */
export function isWholeAccess(indices: readonly Expr[], active: Expr | null): boolean {
  const [index] = indices;
  if (active || indices.length !== 1 || index?.kind !== "ramp") return false;
  return (index.base.kind === "ramp" ? index.base.stride : index.stride) === 1;
}

/** Says whether an expression is what instructions set a fragment to: zeros. */
export const isZeros = (expr: Expr): boolean =>
  expr.kind === "broadcast" && expr.value.kind === "const" && expr.value.value === 0;
