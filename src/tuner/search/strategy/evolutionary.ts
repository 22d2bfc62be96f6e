// Strategy `evolutionary`: MetaSchedule's evolutionary search. Children differ from one parent by one mutator, parents
// are taken in proportion to their predicted throughput, and the best that ever turned up are measured, but for an ε.

import type { Rng } from "../../support/rng.ts";
import { steady } from "../../support/steady.ts";
import { type Breed, pickParent, rank, score } from "../move/evolve.ts";
import { mutate } from "../move/mutate.ts";
import { kindsOfTemplates, mutateByKind } from "../move/mutator.ts";
import { mutateBy } from "../move/own-mutators.ts";
import { Pool } from "../move/pool.ts";
import { epsilonGreedy, pickWeighted } from "../move/select.ts";
import type { Point, SearchSpace } from "../point/search-space.ts";
import { rankedTrials, type SearchState, scoreOf } from "../state/search-state.ts";
import type { Strategy } from "./strategy.ts";

/** Shao et al., Tensor Program Optimization with Probabilistic Programs, NeurIPS 2022; `EvolutionarySearch` of TVM. */
export const evolutionary: Strategy = {
  name: "evolutionary",
  propose: (state, count, rng) => {
    const pool = new Pool(state);
    pool.draw(Math.max(count, evolutionaryParameters.leastRandom), rng, "plain");
    const random = [...pool.points];
    evolveByMutators(state, pool, rng);
    const turnedUp = rank(score(state, pool.points));
    return epsilonGreedy(turnedUp, random, { count, epsilon: evolutionaryParameters.epsilon }, rng);
  },
};

/** Probabilities and ratios are MetaSchedule's; so is the number of generations. Its population is 512. */
export const evolutionaryParameters = {
  population: 96,
  /** Share of the population that is the best measured. */
  measuredShare: 0.2,
  leastRandom: 50,
  generations: 4,
  mutationProbability: 0.85,
  /** Share of a batch taken from the random points. */
  epsilon: 0.05,
} as const;

/** Replaces the population by mutants of it, generation after generation; all of them are left in the pool. */
function evolveByMutators(state: SearchState, pool: Pool, rng: Rng): void {
  const { population, measuredShare, generations, mutationProbability } = evolutionaryParameters;
  const kinds = kindsOfTemplates(state.space.templates);
  const elders = rankedTrials(state).slice(0, population * measuredShare);
  let members: readonly Point[] = [...elders.map(({ point }) => point), ...pool.points].slice(0, population);
  for (let generation = 0; generation < generations && members.length > 0; generation++) {
    const parents = score(state, members);
    const best = parents.reduce((highest, parent) => Math.max(highest, parent.score), Number.NEGATIVE_INFINITY);
    const weights = parents.map((parent) => throughput(parent.score, best));
    members = Array.from({ length: population }, () => {
      const { point } = pickWeighted(parents, weights, rng);
      if (rng.unit() >= mutationProbability) return point;
      return mutant(state.space, point, kinds, rng) ?? point;
    });
    for (const member of members) pool.add(member);
  }
}

function mutant(space: SearchSpace, point: Point, kinds: ReturnType<typeof kindsOfTemplates>, rng: Rng): Point | null {
  const { mutators } = space;
  return mutators ? mutateBy(mutators, space, point, rng) : mutateByKind(space, point, kinds.get(point.template)!, rng);
}

/** Predicted throughput relative to the best parent's: 1 for an equal score, a half for twice the time. */
const throughput = (predicted: number, best: number): number => steady(2 ** ((predicted - best) / (1 - scoreOf(2, 1))));

/** Breeds by changing any decision, all alike, or by a user's mutators; `default` uses it. */
export function mutation({ space }: SearchState): Breed {
  const { mutators } = space;
  return (population, rng) => {
    const parent = pickParent(population, rng);
    return mutators ? mutateBy(mutators, space, parent, rng) : mutate(space, parent, rng);
  };
}
