// What happens to each slot first, in the order of execution: a store of all of it under no condition, or something that
// may see what was there before. A statement whose slots are all of the first kind starts anew: no value flows into it.

import type { Expr, Stmt } from "../../../ir/loop-ir.ts";
import { childrenOf, ownExprs, walkExpr } from "../../../ir/visit.ts";
import { baseOf } from "./slots.ts";

/** First element of a slot → whether the first access stores it whole. */
export type FirstAccesses = ReadonlyMap<number, boolean>;

export function firstAccesses(stmt: Stmt, buffer: string): FirstAccesses {
  const first = new Map<number, boolean>();
  visit(stmt, buffer, false, first);
  return first;
}

export const startsAnew = (first: FirstAccesses): boolean => [...first.values()].every((isStore) => isStore);

/** A store with `active` counts as whole: lanes that are not stored have no value that anything may read. */
function visit(stmt: Stmt, buffer: string, conditional: boolean, first: Map<number, boolean>): void {
  const note = (base: number, isStore: boolean) => first.has(base) || first.set(base, isStore);
  const read = (expr: Expr) => {
    if (expr.kind === "load" && expr.buffer === buffer) note(baseOf(expr.indices), false);
  };
  for (const expr of ownExprs(stmt)) walkExpr(expr, read);
  if (stmt.kind === "store" && stmt.buffer === buffer) note(baseOf(stmt.indices), !conditional);
  const inside = conditional || stmt.kind === "if" || (stmt.kind === "for" && stmt.extent < 1);
  for (const child of childrenOf(stmt)) visit(child, buffer, inside, first);
}
