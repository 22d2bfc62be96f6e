// When to stop: the last trials made the best hardly better.

import type { Target } from "../../compiler/index.ts";
import type { SearchState, Trial } from "./search-state.ts";

export interface ConvergenceRule {
  /** Trials looked back on. */
  readonly trials: number;
  /** Share of the best time that they must have saved to go on. */
  readonly leastGain: number;
  /**
   * Times what relatives let expect of the best: a task that comes so near has converged with its first round, for its
   * candidates are those that were best elsewhere. Never unless said.
   */
  readonly expected?: number;
}

/**
 * Where no compiler runs a trial takes a third of the time: 6 to 10 seconds either way. Of fewer the best of a calm moment
 * looks like the end of a search, as long as a neighbour takes a part of the core.
 */
const trials: Readonly<Record<Target["codegen"], number>> = { c: 96, wasm: 240 };

/** Of a tuning for this target, unless said otherwise. */
export const convergenceFor = ({ codegen }: Target): ConvergenceRule => ({
  trials: trials[codegen],
  leastGain: 0.01,
  expected: 1.02,
});

/** Whoever had fewer trials than the rule looks back on has not: there was nothing before them. */
export function hasConverged(state: SearchState, rule: ConvergenceRule): boolean {
  return gainOfTrials(state, rule.trials) < rule.leastGain || meetsExpectation(state, rule);
}

/** The best seeds were measured, and one is as fast as it would be if the prior were no more wrong than elsewhere. */
function meetsExpectation({ known, best, rounds }: SearchState, { expected = 0 }: ConvergenceRule): boolean {
  const { expectedNs, seeds } = known;
  const isMeasured = rounds.flat().length >= Math.min(seeds.length, leastSeeds);
  return expectedNs !== null && best !== null && isMeasured && best.ns! <= expected * expectedNs;
}

const leastSeeds = 6;

/** Share of the best time before the last `count` trials that they saved; 1 when there was no time before them. */
export function gainOfTrials({ rounds }: SearchState, count: number): number {
  const trials = rounds.flat();
  const before = bestNs(trials.slice(0, -count));
  return before === Number.POSITIVE_INFINITY ? 1 : 1 - bestNs(trials) / before;
}

function bestNs(trials: readonly Trial[]): number {
  return trials.reduce((best, { ns }) => Math.min(best, ns ?? best), Number.POSITIVE_INFINITY);
}
