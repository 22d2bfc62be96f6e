// Statements as passes and code generators look at them: those with a value of their own, the names that get values in them, and
// sequences without others inside.

import { flatMap } from "../support/flat-map.ts";
import type { Assign, Define, Seq, Stmt, Store } from "./loop-ir.ts";
import { walkStmt } from "./visit.ts";

/** Says whether a statement has a value and no statements inside. */
export const isLeaf = (stmt: Stmt): stmt is Store | Define | Assign =>
  stmt.kind === "store" || stmt.kind === "define" || stmt.kind === "assign";

/** Names that `stmt` gives a new value: loop variables and locals. */
export function changedIn(stmt: Stmt): Set<string> {
  const changed = new Set<string>();
  walkStmt(stmt, (each) => {
    if (each.kind === "for" || each.kind === "define" || each.kind === "assign") changed.add(each.name);
  });
  return changed;
}

/** Joins sequences into one: locals have names of their own throughout the function, so their scopes may grow. */
export const spliced = (stmts: readonly Stmt[]): Seq => ({
  kind: "seq",
  body: flatMap(stmts, (stmt) => (stmt.kind === "seq" ? spliced(stmt.body).body : [stmt])),
});
