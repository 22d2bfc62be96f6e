// Strategy `coordinate-descent`: the unmeasured neighbours of the best point in one decision at a time, nearest values
// first; when they are used up, those of the second best, and so on.

import type { Rng } from "../rng.ts";
import { rank, type ScoredPoint, score } from "./evolve.ts";
import { keyDomain, move } from "./mutate.ts";
import { Pool } from "./pool.ts";
import type { Point } from "./search-space.ts";
import { rankedTrials, type SearchState } from "./search-state.ts";
import type { Strategy } from "./strategy.ts";

export const coordinateDescent: Strategy = {
  name: "coordinate-descent",
  propose: (state, count, rng) => {
    const pool = new Pool(state);
    if (state.best === null) pool.draw(count, rng, "look-ahead");
    const chosen: ScoredPoint[] = [];
    for (const { point } of rankedTrials(state)) {
      if (chosen.length >= count) break;
      const before = pool.points.length;
      addNeighbours(state, point, pool, rng);
      // Those of a better point come first, whatever is predicted of the others.
      chosen.push(...rank(score(state, pool.points.slice(before))));
    }
    const points = state.best === null ? pool.points : chosen.map(({ point }) => point);
    return points.slice(0, count).map(({ candidate }) => candidate);
  },
};

/** Values tried on each side of a decision's present one. */
const stepsEachWay = 2;

function addNeighbours(state: SearchState, point: Point, pool: Pool, rng: Rng): void {
  for (const [name, value] of Object.entries(point.candidate.assignment)) {
    const domain = keyDomain(point, name);
    const below = domain.filter((other) => other < value).slice(-stepsEachWay);
    const above = domain.filter((other) => other > value).slice(0, stepsEachWay);
    for (const other of [...below, ...above]) {
      const neighbour = move(state.space, point, name, [other], rng);
      if (neighbour) pool.add(neighbour);
    }
  }
}
