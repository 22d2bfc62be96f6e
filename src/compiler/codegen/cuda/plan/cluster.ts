// Groups beside each other that copy together what all of them read (a thread block cluster): each asks for a part of a box, which arrives in the
// memory of all. A loop whose boxes threads of their own ask for says so by the word `cluster`. CUDA C++ Programming Guide, "Thread Block Clusters".
//
//   groups 2q and 2q + 1 read rows 64·q of B      →      group 2q asks for the first half of them, group 2q + 1 for the second, each for both

import { add, constInt, mod, mul, variable } from "../../../ir/build.ts";
import type { Define, Expr, Stmt, ThreadAxis } from "../../../ir/loop-ir.ts";
import { printExpr } from "../../../ir/print.ts";
import { type Ranges, withRange } from "../../../ir/ranges.ts";
import { simplifyExpr } from "../../../ir/simplify.ts";
import { mapExpr, substitute, varsIn, walkStmt } from "../../../ir/visit.ts";
import { cannotRun } from "../../cannot.ts";

export interface Cluster {
  /** Groups of it, which follow each other along x. */
  readonly groups: number;
  /** Number of a group among them. */
  readonly rank: Expr;
  /** Says whether an index, or a condition, is the same for all of its groups. */
  readonly isShared: (expr: Expr) => boolean;
}

const clusterWord = "cluster";
/** Most groups of a cluster that every machine has room for. */
const mostGroups = 8;
const axis = "blockIdx.x" satisfies ThreadAxis;

const refuse = (why: string, hint: string): never => {
  throw cannotRun("cuda", why, hint);
};

/**
 * Returns the cluster of a launch; null: each of its groups is on its own.
 *
 * @param before definitions that the body names
 * @param copies statements of the thread that asks for boxes; null: it computes as the others do
 */
export function clusterIn(
  body: Stmt,
  before: readonly Define[],
  extents: ReadonlyMap<ThreadAxis, number>,
  ranges: Ranges,
  copies: Stmt | null,
): Cluster | null {
  const groups = groupsIn(body);
  if (groups === 1) return null;
  const all = extents.get(axis) ?? 1;
  if (!copies) return refuse("groups of a cluster wait for each other at slots", "add the word warp-specialized");
  if (groups > mostGroups) return refuse(`a cluster has ${groups} groups`, `a machine runs ${mostGroups} together`);
  if (all % groups !== 0)
    return refuse(`${all} groups are no whole clusters of ${groups}`, "leave out the word cluster");
  const [first, rank] = [variable("uk_cluster"), variable("uk_rank")];
  const place = new Map<string, Expr>([[axis, add(mul(first, constInt(groups)), rank)]]);
  const known = [[first.name, all / groups] as const, [rank.name, groups] as const].reduce(
    (result, [name, extent]) => withRange(result, name, 0, extent - 1),
    ranges,
  );
  const valueOfLocals = valuesOfLocals([...before, body]);
  const isShared = (expr: Expr): boolean => {
    const value = valueOfLocals(expr);
    return value !== null && !varsIn(simplifyExpr(substitute(value, place), known)).has(rank.name);
  };
  walkStmt(copies, (stmt) => {
    if (stmt.kind !== "if" || isShared(stmt.condition)) return;
    refuse(`groups of a cluster copy different boxes where ${printExpr(stmt.condition)}`, "leave out the word cluster");
  });
  return { groups, rank: mod(variable(axis), constInt(groups)), isShared };
}

function groupsIn(body: Stmt): number {
  let groups = 1;
  walkStmt(body, (stmt) => {
    if (stmt.kind === "for") groups = Math.max(groups, stmt.annotations[clusterWord] ?? 1);
  });
  return groups;
}

/** Puts the values of locals in their place. Null: one of them is assigned again, or comes from memory. */
function valuesOfLocals(stmts: readonly Stmt[]): (expr: Expr) => Expr | null {
  const values = new Map<string, Expr | null>();
  for (const each of stmts) {
    walkStmt(each, (stmt) => {
      if (stmt.kind === "define") values.set(stmt.name, values.has(stmt.name) ? null : stmt.value);
      if (stmt.kind === "assign") values.set(stmt.name, null);
    });
  }
  const withValues = (whole: Expr): Expr | null => {
    let isKnown = true;
    const value = mapExpr(whole, (expr) => {
      if (expr.kind !== "local" && expr.kind !== "load") return expr;
      const known = expr.kind === "local" ? (values.get(expr.name) ?? null) : null;
      const inner = known && withValues(known);
      isKnown &&= inner !== null;
      return inner ?? expr;
    });
    return isKnown ? value : null;
  };
  return withValues;
}
