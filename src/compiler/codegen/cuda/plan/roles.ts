// Body of a launch whose boxes a thread of its own asks for → what that thread runs, and what the threads that compute do (warp specialization).
// The thread runs the same loops, of which it keeps the boxes, and waits until their slots are released.
//
//   for k: await-fill; products; release             for k: await-fill; products; release          threads that compute
//          if (k + 2 < 64) await-release; boxes  →   for k: if (k + 2 < 64) await-release; boxes   the thread that copies

import type { Stmt, Sync } from "../../../ir/loop-ir.ts";
import { noRanges, withRange } from "../../../ir/ranges.ts";
import { isNothing, seqOf, simplifyStmt } from "../../../ir/simplify.ts";
import { groupAxes } from "../../../ir/thread-axes.ts";
import { updateFor, updateIf } from "../../../ir/update.ts";
import { walkStmt } from "../../../ir/visit.ts";
import { cannotRun } from "../../cannot.ts";
import { isBoxCopy } from "./boxes.ts";
import type { KernelFacts } from "./kernel-facts.ts";

export interface Roles {
  /** Statements of the thread that copies, whose coordinates are all 0. */
  readonly copies: Stmt;
  readonly computes: Stmt;
}

/** Returns the roles; null: all threads of the launch have one. */
export function rolesIn(body: Stmt, facts: Pick<KernelFacts, "group" | "global">): Roles | null {
  const syncs = syncsIn(body);
  if (!syncs.has("await-release")) return null;
  if (syncs.has("barrier")) {
    throw cannotRun("cuda", "threads that compute wait for one that copies", "leave out the word warp-specialized");
  }
  const isOfCopier = (stmt: Stmt): boolean =>
    stmt.kind === "store"
      ? isBoxCopy(stmt, facts)
      : stmt.kind === "sync" && (stmt.what === "fill" || stmt.what === "await-release");
  const isOfBoth = (stmt: Stmt): boolean => stmt.kind === "define" && stmt.lanes === 1;
  return {
    copies: atOrigin(withoutUnused(only(body, (stmt) => isOfCopier(stmt) || isOfBoth(stmt)))),
    computes: only(body, (stmt) => !isOfCopier(stmt)),
  };
}

function syncsIn(body: Stmt): ReadonlySet<Sync["what"]> {
  const found = new Set<Sync["what"]>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "sync") found.add(stmt.what);
  });
  return found;
}

/** The statement with those statements alone that are neither loops nor choices, and what is around them. */
function only(stmt: Stmt, isKept: (stmt: Stmt) => boolean): Stmt {
  switch (stmt.kind) {
    case "seq":
      return seqOf(stmt.body.map((each) => only(each, isKept)));
    case "for": {
      const body = only(stmt.body, isKept);
      return isNothing(body) ? body : updateFor(stmt, { body });
    }
    case "if": {
      const yes = only(stmt.then, isKept);
      const no = stmt.else && only(stmt.else, isKept);
      return isNothing(yes) && (!no || isNothing(no)) ? seqOf([]) : updateIf(stmt, { then: yes, else: no });
    }
    default:
      return isKept(stmt) ? stmt : seqOf([]);
  }
}

/** The statement without definitions that nothing names. */
function withoutUnused(stmt: Stmt): Stmt {
  const named = new Set<string>();
  const defined = new Set<string>();
  walkStmt(
    stmt,
    (each) => {
      if (each.kind === "define") defined.add(each.name);
    },
    (expr) => {
      if (expr.kind === "local") named.add(expr.name);
    },
  );
  const isUsed = (each: Stmt): boolean => each.kind !== "define" || named.has(each.name);
  return [...defined].every((name) => named.has(name)) ? stmt : withoutUnused(only(stmt, isUsed));
}

/** The statement as the thread runs it whose coordinates are 0. */
const atOrigin = (stmt: Stmt): Stmt =>
  simplifyStmt(
    stmt,
    groupAxes.reduce((ranges, axis) => withRange(ranges, axis, 0, 0), noRanges),
  );
