// Which vectors are cut into pieces of how many lanes. Locals that meet in a statement lie in the same pieces, so that no lanes move: as many as
// fill a register with the widest element of all these statements. Others, as those of another stage, have pieces of their own.

import { lanesOf } from "../../ir/lanes.ts";
import type { Assign, Define, Expr, Stmt, Store } from "../../ir/loop-ir.ts";
import { isLeaf } from "../../ir/statements.ts";
import { ownExprs, walkExpr, walkStmt } from "../../ir/visit.ts";
import type { Context } from "./context.ts";
import { widestElement, widestOf } from "./widest-element.ts";

/** Bytes of the widest element of the statements that a local is in, directly or by way of other locals. */
export function widestOfLocals(body: Stmt): ReadonlyMap<string, number> {
  const [groups, widest] = [new Map<string, string>(), new Map<string, number>()];
  const groupOf = (name: string): string => {
    const next = groups.get(name);
    return next === undefined || next === name ? name : groupOf(next);
  };
  walkStmt(body, (stmt) => {
    if (!isLeaf(stmt)) return;
    const names = [...vectorsOf(stmt)];
    const met = new Set(names.map(groupOf));
    const group = [...met].find((name) => widest.has(name)) ?? names[0];
    if (group === undefined) return;
    const widths = [...met].map((name) => widest.get(name) ?? 1);
    for (const name of [...names, ...met]) groups.set(name, group);
    widest.set(group, Math.max(widestElement(stmt), ...widths));
  });
  return new Map([...groups.keys()].map((name) => [name, widest.get(groupOf(name))!]));
}

/** Names of the locals of a statement that are vectors. */
function vectorsOf(stmt: Store | Define | Assign): ReadonlySet<string> {
  const names = new Set<string>();
  if (stmt.kind !== "store" && lanesOf(stmt.value) > 1) names.add(stmt.name);
  for (const expr of ownExprs(stmt)) for (const name of vectorsIn(expr)) names.add(name);
  return names;
}

function vectorsIn(whole: Expr): ReadonlySet<string> {
  const names = new Set<string>();
  walkExpr(whole, (expr) => {
    if (expr.kind === "local" && expr.lanes > 1) names.add(expr.name);
  });
  return names;
}

/** Most lanes of a piece of a value that is stored, or combined into one. */
export function pieceLanesOf({ vectorBytes, widestOfLocals }: Context, value: Expr): number {
  const widths = [...vectorsIn(value)].map((name) => widestOfLocals.get(name) ?? 1);
  return vectorBytes / Math.max(widestOf(value), ...widths);
}
