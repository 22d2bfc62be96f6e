// Strategy `coordinate-descent`: the unmeasured neighbours of the best point in one decision at a time, nearest values
// first; when they are used up, those of the second best, and so on.

import { rank, type ScoredPoint, score } from "../move/evolve.ts";
import { neighbours } from "../move/moves.ts";
import { Pool } from "../move/pool.ts";
import { rankedTrials } from "../state/search-state.ts";
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
      for (const neighbour of neighbours(state.space, point, rng)) pool.add(neighbour);
      // Neighbours of a better point come first, even if others have better predictions.
      chosen.push(...rank(score(state, pool.points.slice(before))));
    }
    const points = state.best === null ? pool.points : chosen.map(({ point }) => point);
    return points.slice(0, count).map(({ candidate }) => candidate);
  },
};
