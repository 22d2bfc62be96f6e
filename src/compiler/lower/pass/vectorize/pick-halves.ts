// Lanes picked from many vectors, all of them even or all of them odd → first the even lanes of each pair of vectors, or the odd ones, then the
// lanes from these. It is as many shuffles, and picks that differ in their first lane have most of them in common: all eight columns of rows of
// eight take 24 shuffles in place of 56.
//
//   pick(a, b, c, d; 1 5 9 13)    →    pick(pick(a, b; 1 3 5 7), pick(c, d; 1 3 5 7); 0 2 4 6)

import { pick } from "../../../ir/build.ts";
import { halvesOf } from "../../../ir/lane-windows.ts";
import { lanesOf } from "../../../ir/lanes.ts";
import type { Expr } from "../../../ir/loop-ir.ts";

/**
 * Returns a pick, or picks of picks.
 *
 * @param parts vectors of one length
 * @param picks lanes, counted through all vectors
 */
export function pickHalves(parts: readonly Expr[], picks: readonly number[]): Expr {
  const halves = halvesOf(picks, lanesOf(parts[0]!), parts.length);
  if (!halves) return pick(parts, picks);
  const pairs = Array.from({ length: parts.length / 2 }, (_, at) =>
    pick(parts.slice(2 * at, 2 * at + 2), halves.lanes),
  );
  return pickHalves(pairs, halves.picks);
}
