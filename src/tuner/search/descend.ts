// From a point of a space down to one that the prior likes better than all of its neighbours. Neighbours differ in one decision and what
// that wants of others; where none is better, one decision goes up as another goes down, as threads along two axes do.

import { createRng } from "../support/rng.ts";
import { neighbours } from "./move/moves.ts";
import { keyDomain } from "./move/mutate.ts";
import { priorNs } from "./point/prior.ts";
import { findPoint, type Point, type SearchSpace } from "./point/search-space.ts";

/** The longest way down: each step is a better point, so that it ends anyway. */
const mostSteps = 32;
/** Values of a decision that are tried on each side. */
const reach = 4;

export function descend(space: SearchSpace, start: Point): Point {
  const rng = createRng(1);
  let [at, ns] = [start, priorNs(space, start)];
  for (let step = 0; step < mostSteps; step++) {
    const next = better(space, neighbours(space, at, rng, reach), ns) ?? better(space, trades(space, at), ns);
    if (!next) break;
    [at, ns] = [next, priorNs(space, next)];
  }
  return at;
}

/** The best of the points that are better; null: none is. */
function better(space: SearchSpace, points: Iterable<Point>, ns: number): Point | null {
  let [best, least]: [Point | null, number] = [null, ns];
  for (const point of points) {
    const time = priorNs(space, point);
    if (time < least) [best, least] = [point, time];
  }
  return best;
}

/** Points in which one decision has its next value, and another the one before. */
function* trades(space: SearchSpace, point: Point): Generator<Point> {
  const { template, assignment } = point.candidate;
  const names = Object.keys(assignment);
  const beside = (name: string, by: 1 | -1): number | undefined => {
    const domain = keyDomain(point, name);
    return domain[domain.indexOf(assignment[name]!) + by];
  };
  for (const up of names) {
    for (const down of names) {
      const [more, less] = [beside(up, 1), beside(down, -1)];
      if (up === down || more === undefined || less === undefined) continue;
      const found = findPoint(space, { template, assignment: { ...assignment, [up]: more, [down]: less } });
      if (found) yield found;
    }
  }
}
