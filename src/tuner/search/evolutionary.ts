// Strategy `evolutionary`: children differ from one parent in one decision (MetaSchedule's mutators, but through the
// constraints), and the cost model says which are measured.

import { type Breed, evolve, pickParent, quickEvolution } from "./evolve.ts";
import { mutate } from "./mutate.ts";
import type { SearchState } from "./search-state.ts";
import { selectBatch } from "./select.ts";
import type { Strategy } from "./strategy.ts";

export const evolutionary: Strategy = {
  name: "evolutionary",
  propose: (state, count, rng) => selectBatch(evolve(state, quickEvolution, mutation(state), rng), count, rng),
};

export function mutation(state: SearchState): Breed {
  return (population, rng) => mutate(state.space, pickParent(population, rng), rng);
}
