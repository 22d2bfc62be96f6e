// How a statement starts with each slot of a register buffer: whether it may read what was there before. One that reads
// no slot before it stores it starts anew: no value flows into it.

import type { Stmt } from "../../../ir/loop-ir.ts";
import { ownExprs, walkExpr } from "../../../ir/visit.ts";
import { baseOf } from "./slots.ts";

/** "read" before any store of it; "store" before any read; "maybe": stored on some ways only, and not read before. */
type First = "read" | "store" | "maybe";

/** By the first element of the slot. */
export type FirstAccesses = ReadonlyMap<number, First>;

export const startsAnew = (first: FirstAccesses): boolean => ![...first.values()].includes("read");

export function firstAccesses(stmt: Stmt, buffer: string): FirstAccesses {
  const own = ownAccesses(stmt, buffer);
  switch (stmt.kind) {
    case "for":
      return firstAccesses(stmt.body, buffer);
    case "seq":
      return stmt.body.map((each) => firstAccesses(each, buffer)).reduce(inOrder, own);
    case "if": {
      const no = stmt.else ? firstAccesses(stmt.else, buffer) : new Map<number, First>();
      return inOrder(own, eitherOf(firstAccesses(stmt.then, buffer), no));
    }
    case "store":
    case "define":
    case "assign":
    case "block":
      return own;
  }
}

/** A store with `active` counts as whole: lanes that are not stored have no value that anything may read. */
function ownAccesses(stmt: Stmt, buffer: string): FirstAccesses {
  const first = new Map<number, First>();
  for (const expr of ownExprs(stmt)) {
    walkExpr(expr, (each) => each.kind === "load" && each.buffer === buffer && first.set(baseOf(each.indices), "read"));
  }
  if (stmt.kind === "store" && stmt.buffer === buffer && !first.has(baseOf(stmt.indices))) {
    first.set(baseOf(stmt.indices), "store");
  }
  return first;
}

/** One after the other. */
export function inOrder(before: FirstAccesses, after: FirstAccesses): FirstAccesses {
  if (before.size === 0 || after.size === 0) return before.size === 0 ? after : before;
  const first = new Map(before);
  for (const [base, access] of after) {
    const earlier = before.get(base) ?? "maybe";
    first.set(base, earlier === "maybe" ? access : earlier);
  }
  return first;
}

/** One or the other. */
function eitherOf(yes: FirstAccesses, no: FirstAccesses): FirstAccesses {
  const first = new Map<number, First>();
  for (const base of new Set([...yes.keys(), ...no.keys()])) {
    const ways = [yes.get(base) ?? "maybe", no.get(base) ?? "maybe"];
    first.set(base, ways.includes("read") ? "read" : ways.includes("maybe") ? "maybe" : "store");
  }
  return first;
}
