// Generations of candidates that only the prediction judges: best measured and random ones, then children of the
// better ones, again and again. SearchState → a pool of unmeasured points with their predicted scores.

import type { Rng } from "../../support/rng.ts";
import type { Point } from "../point/search-space.ts";
import { predictScores, rankedTrials, type SearchState } from "../state/search-state.ts";
import { Pool } from "./pool.ts";

/** Makes a new point from a population that is sorted, the best first; null: this attempt gave none. */
export type Breed = (population: readonly Point[], rng: Rng) => Point | null;

export interface EvolutionSize {
  /** Number of random points in the first generation, and of points that survive each. */
  readonly population: number;
  readonly generations: number;
  readonly childrenPerGeneration: number;
  /** Number of best measured points in the first generation. */
  readonly elders: number;
}

/** Size for budgets of seconds: about 50 ms a round. Heron, with hours, takes 200 of each and five generations. */
export const quickEvolution: EvolutionSize = { population: 64, generations: 4, childrenPerGeneration: 96, elders: 16 };

export interface ScoredPoint {
  readonly point: Point;
  readonly score: number;
}

/** Returns all unmeasured points that turned up, the highest predicted score first. */
export function evolve(state: SearchState, size: EvolutionSize, breed: Breed, rng: Rng): ScoredPoint[] {
  const pool = new Pool(state);
  pool.draw(size.population, rng, "plain");
  const elders = rankedTrials(state).slice(0, size.elders);
  let scored = score(state, pool.points);
  let population = rank([
    ...score(
      state,
      elders.map(({ point }) => point),
    ),
    ...scored,
  ]).slice(0, size.population);
  for (let generation = 0; generation < size.generations && population.length > 0; generation++) {
    const before = pool.points.length;
    const parents = population.map(({ point }) => point);
    for (let k = 0; k < size.childrenPerGeneration; k++) {
      const child = breed(parents, rng);
      if (child) pool.add(child);
    }
    const children = score(state, pool.points.slice(before));
    scored = [...scored, ...children];
    population = rank([...population, ...children]).slice(0, size.population);
  }
  return rank(scored);
}

/** Scores points by prediction, in their order. */
export function score(state: SearchState, points: readonly Point[]): ScoredPoint[] {
  const scores = predictScores(state, points);
  return points.map((point, k) => ({ point, score: scores[k]! }));
}

/** Sorts points by score, the highest first; equal ones stay in their order. */
export function rank(points: readonly ScoredPoint[]): ScoredPoint[] {
  return [...points].sort((left, right) => right.score - left.score);
}

/** Picks a member of a sorted population, the better the likelier: it has the smaller of two random ranks. */
export function pickParent<T>(population: readonly T[], rng: Rng): T {
  return population[Math.min(rng.below(population.length), rng.below(population.length))]!;
}
