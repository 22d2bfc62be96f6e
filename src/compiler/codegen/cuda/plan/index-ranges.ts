// Statement of one launch → ranges of its loops, threads and locals, for a printer that wants to know which indices are never negative.

import { isBounded } from "../../../affine/interval.ts";
import { boundsOf } from "../../../ir/bounds.ts";
import type { Stmt, ThreadAxis } from "../../../ir/loop-ir.ts";
import { noRanges, type Ranges, withRange } from "../../../ir/ranges.ts";
import { lanesOf, walkStmt } from "../../../ir/visit.ts";

/** Loops of one name have the largest extent of them all. Locals that are assigned again have no range. */
export function indexRanges(body: Stmt, extents: ReadonlyMap<ThreadAxis, number>): Ranges {
  const loops = new Map<string, number>(extents);
  const assigned = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "for") loops.set(stmt.name, Math.max(stmt.extent, loops.get(stmt.name) ?? 0));
    if (stmt.kind === "assign") assigned.add(stmt.name);
  });
  let ranges = [...loops].reduce((all, [name, extent]) => withRange(all, name, 0, extent - 1), noRanges);
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "define" || assigned.has(stmt.name)) return;
    if (stmt.value.dtype !== "i32" || lanesOf(stmt.value) > 1) return;
    const { min, max } = boundsOf(stmt.value, ranges);
    if (isBounded({ min, max })) ranges = withRange(ranges, stmt.name, min, max);
  });
  return ranges;
}
