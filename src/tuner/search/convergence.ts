// When to stop: the last rounds made the best hardly better.

import type { SearchState, Trial } from "./search-state.ts";

export interface ConvergenceRule {
  /** Rounds looked back on. */
  readonly rounds: number;
  /** Share of the best time that they must have saved to go on. */
  readonly leastGain: number;
  /** No search ends with fewer trials. */
  readonly leastTrials: number;
}

export const defaultConvergence: ConvergenceRule = { rounds: 4, leastGain: 0.01, leastTrials: 48 };

export function hasConverged(state: SearchState, rule: ConvergenceRule = defaultConvergence): boolean {
  const trials = state.rounds.flat().length;
  return (
    trials >= rule.leastTrials && state.rounds.length > rule.rounds && gainOfRounds(state, rule.rounds) < rule.leastGain
  );
}

/** Share of the best time before the last `count` rounds that they saved; 1 when there was no time before them. */
export function gainOfRounds({ rounds }: SearchState, count: number): number {
  const before = bestNs(rounds.slice(0, -count).flat());
  const now = bestNs(rounds.flat());
  return before === Number.POSITIVE_INFINITY ? 1 : 1 - now / before;
}

function bestNs(trials: readonly Trial[]): number {
  return trials.reduce((best, { ns }) => Math.min(best, ns ?? best), Number.POSITIVE_INFINITY);
}
