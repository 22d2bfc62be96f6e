// Strategy `random`: solutions of the constraints, about uniform. The baseline that the others are held against.

import { Pool } from "../move/pool.ts";
import type { Strategy } from "./strategy.ts";

export const random: Strategy = {
  name: "random",
  propose: (state, count, rng) => {
    const pool = new Pool(state);
    pool.draw(count, rng, "look-ahead");
    return pool.points.map(({ candidate }) => candidate);
  },
};
