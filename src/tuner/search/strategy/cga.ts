// Strategy `cga`: Heron's constraint-based genetic algorithm (ASPLOS 2023, Algorithms 2 and 3). Children inherit the
// decisions that the cost model finds important; the solver draws the others.

import type { Predictor } from "../../cost-model/cost-model.ts";
import type { Rng } from "../../support/rng.ts";
import { crossover } from "../move/crossover.ts";
import { type Breed, evolve, pickParent, quickEvolution } from "../move/evolve.ts";
import { selectBatch } from "../move/select.ts";
import type { Point } from "../point/search-space.ts";
import type { SearchState } from "../state/search-state.ts";
import type { Strategy } from "./strategy.ts";

export const cga: Strategy = {
  name: "cga",
  propose: (state, count, rng) => selectBatch(evolve(state, cgaParameters.size, inheritance(state), rng), count, rng),
};

/**
 * Numbers for budgets of seconds. Heron, with hours and 32 measurements a round: population 200, 5 generations of 200 children,
 * 32 elders and as many parents, and 0.14 of all variables inherited, derived ones too; children must stay nearer to
 * their parents where there are few generations of them. The batch is taken as `select.ts` says.
 */
export const cgaParameters = {
  size: quickEvolution,
  /** Share of a template's key variables that a child inherits. */
  inheritedShare: 0.7,
  /** Share of the inherited variables that are the most important ones; the rest is random. */
  rankedShare: 0.5,
} as const;

/** Returns the key variables that a child of this parent inherits. */
export type InheritedKeys = (state: SearchState, parent: Point, rng: Rng) => readonly string[];

export function inheritance(state: SearchState, keysOf: InheritedKeys = importantKeys): Breed {
  return (population, rng) => {
    const mother = pickParent(population, rng);
    const partners = population.filter(({ template }) => template === mother.template);
    return crossover(state.space, mother, pickParent(partners, rng), keysOf(state, mother, rng), rng);
  };
}

/**
 * Returns Heron's key variables: the most important ones, and random ones among the rest; all random while nothing is
 * learned.
 */
function importantKeys(state: SearchState, parent: Point, rng: Rng): readonly string[] {
  const predictor = state.predictor();
  const names = rng.shuffle(Object.keys(parent.candidate.assignment));
  const count = inheritedCount(names.length);
  if (!predictor) return names.slice(0, count);
  const importances = new Map(names.map((name) => [name, importance(state, predictor, name)]));
  const byImportance = [...names].sort((a, b) => importances.get(b)! - importances.get(a)!);
  const ranked = byImportance.slice(0, Math.ceil(count * cgaParameters.rankedShare));
  return [...ranked, ...names.filter((name) => !ranked.includes(name)).slice(0, count - ranked.length)];
}

export const inheritedCount = (keys: number): number => Math.max(2, Math.ceil(keys * cgaParameters.inheritedShare));

function importance({ space }: SearchState, predictor: Predictor, name: string): number {
  return predictor.importance[space.features.columnOf(name)] ?? 0;
}
