// Finds what is left of a space that is nearly used up: draws find few of its last points, and a walk along the best may not
// reach them. SearchState → unmeasured points; none: the space is used up, as far as some thousand steps tell.

import { enumerate } from "../../constraint/solver/enumerate.ts";
import type { Rng } from "../../support/rng.ts";
import { Pool } from "../move/pool.ts";
import { type Point, pointOf } from "../point/search-space.ts";
import type { SearchState } from "../state/search-state.ts";
import type { Strategy } from "./strategy.ts";

/** Most steps through a template, a tenth of a second: enough for all points of one that draws have nearly used up. */
const mostSteps = 20_000;

/** Makes a strategy go on until nothing is left: where it proposes nothing, any unmeasured points are taken. */
export const toTheLast = ({ name, propose }: Strategy): Strategy => ({
  name,
  propose(state, count, rng) {
    const candidates = propose(state, count, rng);
    return candidates.length > 0 ? candidates : leftOver(state, count, rng).map(({ candidate }) => candidate);
  },
});

/** Returns drawn points, or, where draws find nothing new, enumerated ones. */
function leftOver(state: SearchState, count: number, rng: Rng): readonly Point[] {
  const pool = new Pool(state);
  pool.draw(count, rng, "look-ahead");
  return pool.points.length > 0 ? pool.points : unmeasured(state, count);
}

/** Counts the unmeasured points, up to `most`. */
export function countUnmeasured(state: SearchState, most: number, rng: Rng): number {
  const listed = unmeasured(state, most).length;
  return listed > 0 ? listed : leftOver(state, most, rng).length;
}

/** Returns the first unmeasured points by template and value, at most `most`. */
function unmeasured(state: SearchState, most: number): readonly Point[] {
  const pool = new Pool(state);
  for (const template of state.space.templates) {
    for (const assignment of enumerate(template.compiled, {}, mostSteps)) {
      if (pool.points.length >= most) return pool.points;
      pool.add(pointOf(template, assignment));
    }
  }
  return pool.points;
}
