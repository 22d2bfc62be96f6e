// Strategy `random-key-cga`: `cga` but for its key variables, which are drawn by lot (Heron's `RCGA`). The difference
// to `cga` shows the worth of the cost model's importances.

import { evolve } from "../move/evolve.ts";
import { selectBatch } from "../move/select.ts";
import { cgaParameters, type InheritedKeys, inheritance, inheritedCount } from "./cga.ts";
import type { Strategy } from "./strategy.ts";

export const randomKeyCga: Strategy = {
  name: "random-key-cga",
  propose: (state, count, rng) =>
    selectBatch(evolve(state, cgaParameters.size, inheritance(state, randomKeys), rng), count, rng),
};

const randomKeys: InheritedKeys = (_, parent, rng) => {
  const names = rng.shuffle(Object.keys(parent.candidate.assignment));
  return names.slice(0, inheritedCount(names.length));
};
