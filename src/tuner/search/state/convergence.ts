// Rule that ends a search: the last trials hardly improved the best.

import { needsToolchain, type Target } from "../../../compiler/index.ts";
import type { SearchState, Trial } from "./search-state.ts";

export interface ConvergenceRule {
  /** Number of latest trials that the rule looks back on. */
  readonly trials: number;
  /** Share of the best time that those trials must have saved for the search to go on. */
  readonly leastGain: number;
  /**
   * Factor of the time that relatives let expect of the best. A task that comes so near has converged with its first round,
   * for its candidates are those that were best elsewhere. Default: never.
   */
  readonly expected?: number;
}

/**
 * Trials looked back on, where a compiler builds them and where none does: 6 to 10 seconds either way, as a trial without a compiler takes a third of the
 * time. With fewer, a lucky time in a calm moment looks like the end of a search while a neighbour uses the core.
 */
const trials = { built: 96, asTheyAre: 240 } as const;

/** Returns the default rule of a tuning for a target. */
export const convergenceFor = (target: Target): ConvergenceRule => ({
  trials: needsToolchain(target) ? trials.built : trials.asTheyAre,
  leastGain: 0.01,
  expected: 1.02,
});

/** Says whether a search has converged. One with no more trials than the rule looks back on has not: it has no best from before them. */
export function hasConverged(state: SearchState, rule: ConvergenceRule): boolean {
  return gainOfTrials(state, rule.trials) < rule.leastGain || meetsExpectation(state, rule);
}

/**
 * Says whether the best seeds were measured and one meets the expected time: the time that it has if the prior errs
 * here as it does for relatives.
 */
function meetsExpectation({ known, best, rounds }: SearchState, { expected = 0 }: ConvergenceRule): boolean {
  const { expectedNs, seeds } = known;
  const isMeasured = rounds.flat().length >= Math.min(seeds.length, leastSeeds);
  return expectedNs !== null && best !== null && isMeasured && best.ns! <= expected * expectedNs;
}

const leastSeeds = 6;

/** Returns the share of the best time that the last `count` trials saved; 1 when there was no time before them. */
export function gainOfTrials({ rounds }: SearchState, count: number): number {
  const trials = rounds.flat();
  const before = bestNs(trials.slice(0, -count));
  return before === Number.POSITIVE_INFINITY ? 1 : 1 - bestNs(trials) / before;
}

function bestNs(trials: readonly Trial[]): number {
  return trials.reduce((best, { ns }) => Math.min(best, ns ?? best), Number.POSITIVE_INFINITY);
}
