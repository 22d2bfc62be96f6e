// Divides the seconds that the kernels of a build share: how many candidates the next round of a kernel may have.

import { fittingIn, leastRound } from "../tuning/time-left.ts";
import { roundSize } from "../tuning/tuning.ts";
import type { TaskHistory } from "./policy.ts";

/** Costs of a group's turns so far. */
export interface GroupCosts {
  readonly spentMs: number;
  /** Mean milliseconds of a candidate; null: nothing was measured. */
  readonly trialMs: number | null;
  /** Mean milliseconds of a last turn, in which finalists race; null: no tuning has had one. */
  readonly finishMs: number | null;
}

/** Number of candidates that a last turn is taken to cost, until one has been seen. */
const trialsOfFinish = 8;

/**
 * Returns the number of candidates in the next round of `tasks[at]`; 0: it is over. Each task has a first round, however late it
 * comes: a short one if its fair share of the time left is short. Time for the last turns of all is set aside.
 *
 * @param totalMs milliseconds for all; null: none are shared, each kernel has its own budget alone
 */
export function roundLimit(
  tasks: readonly TaskHistory[],
  at: number,
  totalMs: number | null,
  costs: GroupCosts,
): number {
  if (totalMs === null) return roundSize;
  const { spentMs, trialMs, finishMs } = costs;
  const leftMs = totalMs - spentMs - tasks.length * (finishMs ?? trialsOfFinish * (trialMs ?? 0));
  const last = tasks[at]!.rounds.at(-1);
  if (last) return Math.min(roundSize, fittingIn(leftMs, last));
  // A first round is short: the prior puts a good candidate among its first eight nearly always.
  if (trialMs === null) return leastRound;
  const waiting = tasks.filter(({ rounds }) => rounds.length === 0).length;
  return Math.min(roundSize, Math.max(leastRound, Math.floor(leftMs / waiting / trialMs)));
}
