// The seconds that the kernels of a build share: how many candidates the next round of a kernel may have.

import { fittingIn, leastRound } from "../time-left.ts";
import { roundSize } from "../tuning.ts";
import type { TaskHistory } from "./policy.ts";

/** What the turns of a group have cost so far. */
export interface GroupCosts {
  readonly spentMs: number;
  /** A candidate, on average; null: nothing was measured. */
  readonly trialMs: number | null;
  /** A last turn, in which finalists race, on average; null: nobody has had one. */
  readonly finishMs: number | null;
}

/** A last turn takes as long as so many candidates, until one is known. */
const trialsOfFinish = 8;

/**
 * Candidates of the next round of `tasks[at]`; 0: it is over. Everybody has a first round, however late it comes: a short
 * one if its fair share of the time that is left is short. What the last turns of all will need is set aside.
 *
 * @param totalMs null: none is shared, each kernel has its own budget alone
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
  // Of a first round: the prior puts a good candidate among its first eight nearly always.
  if (trialMs === null) return leastRound;
  const waiting = tasks.filter(({ rounds }) => rounds.length === 0).length;
  return Math.min(roundSize, Math.max(leastRound, Math.floor(leftMs / waiting / trialMs)));
}
