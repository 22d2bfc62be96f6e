// What happens to each slot first, in the order of execution: a store of all of it under no condition, or something that
// may see what was there before. Only slots of the first kind start anew wherever the statement does.

import type { Expr, Stmt } from "../../../ir/loop-ir.ts";
import { ownExprs, walkExpr } from "../../../ir/visit.ts";
import { baseOf, childrenOf, type Slots } from "./slots.ts";

/** The slots that `stmt` stores before it reads them. */
export function freshSlots(stmt: Stmt, slots: Slots): ReadonlySet<number> {
  const first = new Map<number, boolean>();
  visit(stmt, slots, false, first);
  return new Set([...first].filter(([, isFresh]) => isFresh).map(([base]) => base));
}

function visit(stmt: Stmt, slots: Slots, conditional: boolean, first: Map<number, boolean>): void {
  const note = (base: number, isFresh: boolean) => first.has(base) || first.set(base, isFresh);
  const read = (expr: Expr) => {
    if (expr.kind === "load" && expr.buffer === slots.buffer.name) note(baseOf(expr.indices), false);
  };
  for (const expr of ownExprs(stmt)) walkExpr(expr, read);
  if (stmt.kind === "store" && stmt.buffer === slots.buffer.name) {
    const base = baseOf(stmt.indices);
    const isWhole = !stmt.active || slots.masks.get(base)!.size === 1;
    note(base, isWhole && !conditional);
  }
  const inside = conditional || stmt.kind === "if" || (stmt.kind === "for" && stmt.extent < 1);
  for (const child of childrenOf(stmt)) visit(child, slots, inside, first);
}
