// Strategy `cga`: Heron's constraint-based genetic algorithm (ASPLOS 2023, Algorithms 2 and 3). Children inherit the
// decisions that the cost model finds important; the solver draws the others.

import type { Predictor } from "../cost-model/cost-model.ts";
import { columnOf } from "../cost-model/features.ts";
import type { Rng } from "../rng.ts";
import { crossover } from "./crossover.ts";
import { type Breed, evolve, pickParent, quickEvolution } from "./evolve.ts";
import type { Point } from "./search-space.ts";
import type { SearchState } from "./search-state.ts";
import { selectBatch } from "./select.ts";
import type { Strategy } from "./strategy.ts";

export const cga: Strategy = {
  name: "cga",
  propose: (state, count, rng) => selectBatch(evolve(state, quickEvolution, inheritance(state), rng), count, rng),
};

/**
 * Share of a template's key variables that a child inherits. Heron takes 0.14 of all its variables, derived ones too,
 * with 32 measurements a round; with 8 to 16 the children must stay nearer to their parents.
 */
const inheritedShare = 0.7;

export function inheritance(state: SearchState): Breed {
  return (population, rng) => {
    const mother = pickParent(population, rng);
    const partners = population.filter(({ template }) => template === mother.template);
    return crossover(state.space, mother, pickParent(partners, rng), inheritedKeys(state, mother, rng), rng);
  };
}

/** Half of them the most important ones, half random among the rest; all random while nothing is learned. */
function inheritedKeys(state: SearchState, { candidate }: Point, rng: Rng): string[] {
  const names = rng.shuffle(Object.keys(candidate.assignment));
  const count = Math.max(2, Math.ceil(names.length * inheritedShare));
  const { predictor } = state;
  if (!predictor) return names.slice(0, count);
  const byImportance = [...names].sort((a, b) => importance(state, predictor, b) - importance(state, predictor, a));
  const ranked = byImportance.slice(0, Math.ceil(count / 2));
  return [...ranked, ...names.filter((name) => !ranked.includes(name)).slice(0, count - ranked.length)];
}

function importance({ space }: SearchState, predictor: Predictor, name: string): number {
  return predictor.importance[columnOf(space.layout, name)] ?? 0;
}
