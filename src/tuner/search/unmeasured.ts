// What is left of a space that is nearly used up: draws find few of its last points, and a walk along the best may not
// reach them. SearchState → unmeasured points; none: the space is used up, as far as some thousand steps tell.

import { enumerate } from "../constraint/enumerate.ts";
import type { Rng } from "../rng.ts";
import { Pool } from "./pool.ts";
import { type Point, pointOf } from "./search-space.ts";
import type { SearchState } from "./search-state.ts";
import type { Strategy } from "./strategy.ts";

/** Steps through a template, a tenth of a second: enough for all points of one that draws have nearly used up. */
const mostSteps = 20_000;

/** A strategy that has nothing to propose only where nothing is left: then it takes of the rest what comes. */
export const toTheLast = ({ name, propose }: Strategy): Strategy => ({
  name,
  propose(state, count, rng) {
    const candidates = propose(state, count, rng);
    return candidates.length > 0 ? candidates : leftOver(state, count, rng).map(({ candidate }) => candidate);
  },
});

/** What draws find, and where they find nothing new what there is. */
function leftOver(state: SearchState, count: number, rng: Rng): readonly Point[] {
  const pool = new Pool(state);
  pool.draw(count, rng, "look-ahead");
  return pool.points.length > 0 ? pool.points : unmeasured(state, count);
}

/** How many there are, counted up to `most`. */
export function countUnmeasured(state: SearchState, most: number, rng: Rng): number {
  const listed = unmeasured(state, most).length;
  return listed > 0 ? listed : leftOver(state, most, rng).length;
}

/** The first of them by template and value, at most so many. */
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
