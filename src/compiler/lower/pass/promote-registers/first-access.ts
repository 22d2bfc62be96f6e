// First access of a statement to each part of a register buffer: whether it may read the value from before. A part that
// is stored before it is read starts anew: no value flows into it.

import type { Stmt } from "../../../ir/loop-ir.ts";
import { isThreadLoop } from "../../../ir/thread-axes.ts";
import { walkOwnExprs } from "../../../ir/visit.ts";
import { placeOf, type SlotRange } from "./slots.ts";

/** "read" before any store of it; "store" before any read; "maybe": stored on some ways only, and not read before. */
type First = "read" | "store" | "maybe";

/** First access to each unit, by the unit's number. A unit is a run of elements that no access takes apart. */
export type FirstAccesses = ReadonlyMap<number, First>;

export const startsAnew = (first: FirstAccesses): boolean => ![...first.values()].includes("read");

/** A buffer of whose elements each access names whole units. */
export interface Units {
  readonly name: string;
  /** Elements of one unit. */
  readonly size: number;
  /** Answers already found. */
  readonly known: Map<Stmt, FirstAccesses>;
}

export function firstAccesses(stmt: Stmt, units: Units): FirstAccesses {
  const known = units.known.get(stmt);
  if (known) return known;
  const first = findFirst(stmt, units);
  units.known.set(stmt, first);
  return first;
}

function findFirst(stmt: Stmt, units: Units): FirstAccesses {
  switch (stmt.kind) {
    case "for": {
      const first = firstAccesses(stmt.body, units);
      return isThreadLoop(stmt) ? ofThreads(first) : first;
    }
    case "seq": {
      const first = new Map<number, First>();
      for (const each of stmt.body) addLater(first, firstAccesses(each, units));
      return first;
    }
    case "if": {
      const no = stmt.else ? firstAccesses(stmt.else, units) : new Map<number, First>();
      const first = new Map(ownAccesses(stmt, units));
      return addLater(first, eitherOf(firstAccesses(stmt.then, units), no));
    }
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return ownAccesses(stmt, units);
  }
}

/** Each thread has registers of its own, so no value flows into a loop over threads, whatever its body does first. */
const ofThreads = (first: FirstAccesses): FirstAccesses =>
  new Map([...first.keys()].map((unit): [number, First] => [unit, "store"]));

/** First accesses of one statement. A store with `active` counts as whole: nothing may read lanes that are not stored. */
function ownAccesses(stmt: Stmt, { name, size }: Units): FirstAccesses {
  const first = new Map<number, First>();
  const note = ({ base, lanes }: SlotRange, access: First) => {
    for (let unit = base / size; unit < (base + lanes) / size; unit++) if (!first.has(unit)) first.set(unit, access);
  };
  walkOwnExprs(stmt, (expr) => expr.kind === "load" && expr.buffer === name && note(placeOf(expr.indices)!, "read"));
  if (stmt.kind === "store" && stmt.buffer === name) note(placeOf(stmt.indices)!, "store");
  return first;
}

/** First accesses of two statements, one after the other. */
export const oneAfterOther = (before: FirstAccesses, after: FirstAccesses): FirstAccesses =>
  addLater(new Map(before), after);

function addLater(first: Map<number, First>, later: FirstAccesses): FirstAccesses {
  for (const [unit, access] of later) if ((first.get(unit) ?? "maybe") === "maybe") first.set(unit, access);
  return first;
}

/** First accesses of a statement that is one or the other. */
function eitherOf(yes: FirstAccesses, no: FirstAccesses): FirstAccesses {
  const first = new Map<number, First>();
  for (const unit of new Set([...yes.keys(), ...no.keys()])) {
    const ways = [yes.get(unit) ?? "maybe", no.get(unit) ?? "maybe"];
    first.set(unit, ways.includes("read") ? "read" : ways.includes("maybe") ? "maybe" : "store");
  }
  return first;
}
