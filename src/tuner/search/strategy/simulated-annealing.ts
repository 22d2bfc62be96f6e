// Strategy `simulated-annealing`: walks from the best measured points and from random ones that climb what the model
// predicts, and step down with the probability of Metropolis while they are hot. What they pass is measured, the best first.

import type { Rng } from "../../support/rng.ts";
import { steady } from "../../support/steady.ts";
import { rank, score } from "../move/evolve.ts";
import { mutate } from "../move/mutate.ts";
import { Pool } from "../move/pool.ts";
import { epsilonGreedy } from "../move/select.ts";
import { drawPoint, type Point } from "../point/search-space.ts";
import { rankedTrials, type SearchState } from "../state/search-state.ts";
import type { Strategy } from "./strategy.ts";

/**
 * AutoTVM's model-based annealing (Chen et al., Learning to Optimize Tensor Programs, NeurIPS 2018;
 * `SimulatedAnnealingOptimizer` of TVM), with steps that the solver keeps valid. It walks anew each round, since
 * each has another model: nothing is remembered but the trials.
 */
export const simulatedAnnealing: Strategy = {
  name: "simulated-annealing",
  propose: (state, count, rng) => {
    const pool = new Pool(state);
    pool.draw(Math.max(count, annealing.walks / 2), rng, state.best ? "plain" : "look-ahead");
    const drawn = [...pool.points];
    walk(state, startsOf(state, drawn), pool, rng);
    const passed = rank(score(state, pool.points));
    return epsilonGreedy(passed, drawn, { count, epsilon: annealing.epsilon }, rng);
  },
};

/**
 * AutoTVM takes 128 walks of 500 steps, and 1 for the first temperature, over scores of 1 for the best throughput and
 * 0 for none; a search of seconds has time for fewer steps and has to be cold sooner. A quarter is an octave of time.
 */
export const annealing = {
  walks: 16,
  steps: 28,
  startTemperature: 0.1,
  endTemperature: 0,
  /** Share of a batch taken at random. */
  epsilon: 0.05,
} as const;

/** Returns the temperature, which falls linearly; the last step of `steps` has the end temperature. */
export function temperatureAt(step: number, steps: number): number {
  const { startTemperature, endTemperature } = annealing;
  return steps < 2 ? endTemperature : startTemperature + ((endTemperature - startTemperature) * step) / (steps - 1);
}

/**
 * Returns the probability of a step that changes the score by `gain` (Metropolis et al., 1953): 1 upwards,
 * e^(gain / temperature) downwards, which at temperature 0 is never.
 */
export function acceptance(gain: number, temperature: number): number {
  if (gain >= 0) return 1;
  return temperature > 0 ? steady(Math.exp(gain / temperature)) : 0;
}

/** Returns starts of walks: half of them the best measured, if there are that many. */
function startsOf(state: SearchState, drawn: readonly Point[]): Point[] {
  const best = rankedTrials(state).map(({ point }) => point);
  const elders = best.slice(0, annealing.walks / 2);
  return [...elders, ...drawn.slice(0, annealing.walks - elders.length)];
}

/** Moves all walks a step: they are judged together, and each stays or goes. Every point looked at is in the pool. */
function walk(state: SearchState, starts: readonly Point[], pool: Pool, rng: Rng): void {
  let at = score(state, starts);
  for (let step = 0; step < annealing.steps; step++) {
    const temperature = temperatureAt(step, annealing.steps);
    const next = score(
      state,
      at.map(({ point }) => neighbour(state, point, rng)),
    );
    for (const { point } of next) pool.add(point);
    at = at.map((here, k) => {
      const there = next[k]!;
      return rng.unit() < acceptance(there.score - here.score, temperature) ? there : here;
    });
  }
}

/** Changes one decision of a point; where none can change, draws a new one. */
function neighbour({ space }: SearchState, point: Point, rng: Rng): Point {
  return mutate(space, point, rng) ?? drawPoint(space, point.template, rng, {}) ?? point;
}
