// The schedule that the analytic prior likes best: what is built where nothing can be measured, and the schedule of a
// native kernel's WASM twin. The same task, with the caches of its target, gives the same schedule on every machine.

import { boostedTrees } from "../cost-model/boosted-trees.ts";
import type { Candidate } from "../data/space.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { createRng } from "../support/rng.ts";
import { descend } from "./descend.ts";
import { priorNs } from "./point/prior.ts";
import { drawPoint, findPoint, searchSpace } from "./point/search-space.ts";
import { startSearch } from "./state/search-state.ts";
import { strategies } from "./strategy/strategies.ts";

/** Returns the schedule that the prior ranks first. Null: the space is empty. */
export function predict(space: GeneratedSpace): Candidate | null {
  const search = searchSpace(space, { prior: space.prior });
  const [best] = strategies.default.propose(startSearch(search, boostedTrees()), 1, createRng(1));
  const point = best && space.descends ? findPoint(search, best) : null;
  return point ? descend(search, point).candidate : (best ?? null);
}

const guesses = 64;

/**
 * Returns the best by the prior of some random schedules: good to a factor, in a tenth of the time. Null: none was found.
 */
export function guess(space: GeneratedSpace): Candidate | null {
  const search = searchSpace(space, { prior: space.prior });
  const rng = createRng(1);
  const points = search.templates.flatMap((template) =>
    Array.from({ length: Math.ceil(guesses / search.templates.length) }, () => drawPoint(search, template, rng, {})),
  );
  const timed = points.flatMap((point) => (point ? [{ point, ns: priorNs(search, point) }] : []));
  const best = timed.reduce<(typeof timed)[number] | null>((a, b) => (a && a.ns <= b.ns ? a : b), null);
  return best?.point.candidate ?? null;
}
