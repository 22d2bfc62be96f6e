// Strategy `default`. First: what the prior ranks highest among thousands. Then: half where a Gaussian process expects the most,
// and half generations that trees judge; once new trials bring little, also neighbours of the best. A process learns more
// from tens of trials, trees stay nearer to the prior where a space has many templates: docs/search.md.

import type { Candidate } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";
import { type Breed, type EvolutionSize, evolve, quickEvolution, type ScoredPoint } from "../move/evolve.ts";
import { diverse, selectBatch } from "../move/select.ts";
import { candidateKey, type Point } from "../point/search-space.ts";
import { gainOfTrials } from "../state/convergence.ts";
import { type SearchState, seedsOf, trialCount } from "../state/search-state.ts";
import { bayesian } from "./bayesian.ts";
import { inheritance } from "./cga.ts";
import { coordinateDescent } from "./coordinate-descent.ts";
import { mutation } from "./evolutionary.ts";
import { random } from "./random.ts";
import type { Strategy } from "./strategy.ts";

export const defaultStrategy: Strategy = {
  name: "default",
  propose: (state, count, rng) => {
    if (trialCount(state) === 0) return firstBatch(state, count, rng);
    if (state.best === null) return random.propose(state, count, rng);
    // The candidates that were best for relatives did not suffice, so the search goes on from the prior's best.
    if (state.rounds.length === 1 && seedsOf(state).length > 0)
      return fill(seedsOf(state), bestByPrior(state, firstEvolution, count, rng), count);
    const most = Math.min(count, learnedRound);
    const isStuck = gainOfTrials(state, 24) < 0.02;
    const neighbours = isStuck ? coordinateDescent.propose(state, most, rng) : [];
    return inTurn(most, bayesian.propose(state, most, rng), generation(state, most, rng), neighbours);
  },
};

/**
 * Most candidates of a round after the first. With fewer, more of the budget is spent on deciding; with more, less is
 * learned between rounds.
 */
export const learnedRound = 16;

/** Size of an evolution in every round. It is small, so that a round does not take long. */
const briefEvolution: EvolutionSize = { population: 32, generations: 3, childrenPerGeneration: 48, elders: 16 };

/** Size of the first evolution. The prior costs microseconds a point, so it judges many more than a learned model does. */
const firstEvolution: EvolutionSize = { population: 512, generations: 4, childrenPerGeneration: 256, elders: 0 };

function firstBatch(state: SearchState, count: number, rng: Rng): readonly Candidate[] {
  if (!state.space.prior) return random.propose(state, count, rng);
  const seeds = seedsOf(state);
  if (seeds.length === 0) return bestByPrior(state, firstEvolution, count, rng);
  // Other shapes have shown what is good: few are measured. If they are as fast as expected, the search ends there.
  return fill(
    seeds.slice(0, firstSeeds),
    bestByPrior(state, quickEvolution, newcomers, rng),
    Math.min(count, firstSeeds + newcomers),
  );
}

/** Candidates of the first round where other shapes are known: a second's measuring. Most are the best of those shapes. */
const firstSeeds = 6;
const newcomers = 2;

function bestByPrior(state: SearchState, size: EvolutionSize, count: number, rng: Rng): Candidate[] {
  const points = evolve(state, size, both(state), rng);
  // The prior is least sure about structure, so up to half of the batch is the best of each.
  const leaders = bestOfEachStructure(points).slice(0, Math.ceil(count / 2));
  const others = diverse(
    points.filter((one) => !leaders.includes(one)),
    count - leaders.length,
  );
  return [...leaders, ...others].map(({ point }) => point.candidate);
}

function bestOfEachStructure(points: readonly ScoredPoint[]): ScoredPoint[] {
  const best = new Map<string, ScoredPoint>();
  for (const one of points) {
    const key = structureOf(one.point);
    if (!best.has(key)) best.set(key, one);
  }
  return [...best.values()];
}

/** Returns a key that is equal for points which differ in sizes only. */
const structureOf = ({ template: { template }, assignment }: Point): string =>
  [template.name, ...template.structure.map((name) => assignment[name])].join(" ");

function generation(state: SearchState, count: number, rng: Rng): Candidate[] {
  return selectBatch(evolve(state, briefEvolution, both(state), rng), count, rng);
}

/** Breeds children by crossover and by mutation, half each. */
function both(state: SearchState): Breed {
  const breeds = [inheritance(state), mutation(state)];
  return (population, rng) => rng.pick(breeds)(population, rng);
}

function fill(first: readonly Candidate[], rest: readonly Candidate[], count: number): Candidate[] {
  const all = new Map([...first, ...rest].map((candidate) => [candidateKey(candidate), candidate]));
  return [...all.values()].slice(0, count);
}

/** Takes one of each list in turn, each candidate once: a round may be cut short where kernels are long. */
function inTurn(count: number, ...lists: readonly (readonly Candidate[])[]): Candidate[] {
  const turns = Array.from({ length: count }, (_, at) => lists.flatMap((list) => list[at] ?? []));
  return fill([], turns.flat(), count);
}
