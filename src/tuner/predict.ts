// The schedule that the analytic prior likes best: what is built where nothing can be measured, and the schedule of a
// native kernel's WASM twin. The same task gives the same schedule on every machine.

import { boostedTrees } from "./cost-model/boosted-trees.ts";
import { createRng } from "./rng.ts";
import { searchSpace } from "./search/search-space.ts";
import { startSearch } from "./search/search-state.ts";
import { strategies } from "./search/strategies.ts";
import type { GeneratedSpace } from "./space/generate.ts";
import type { Candidate } from "./space/space.ts";

/** Null: the space is empty. */
export function predict(space: GeneratedSpace): Candidate | null {
  const search = searchSpace(space, { prior: space.prior });
  const [best] = strategies.default.propose(startSearch(search, boostedTrees()), 1, createRng(1));
  return best ?? null;
}
