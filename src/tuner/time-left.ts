// How the seconds of one tuning are divided: rounds of candidates, and the race of the best at the end.

import { mostFinalists, mostRacers } from "./measure/finalists.ts";
import { samplesInHeats } from "./measure/heats.ts";
import { defaultRaceOptions, roundsForStatistics } from "./measure/race.ts";
import type { Budget } from "./task.ts";

/** A race of short kernels takes as long: finalists are built, woken and waited for. */
const leastRaceMs = 1_500;
/** Of the budget, at most. */
const raceShare = 1 / 4;

/** Of the time that the rounds took, heats and race take at most; but a space of four candidates takes no time at all. */
const raceOfRounds = 1 / 2;
const leastLimitMs = 750;

/** Milliseconds after which heats and race come to an end, however much is left of the budget. */
export const longestRaceMs = (roundsMs: number): number => Math.max(leastLimitMs, roundsMs * raceOfRounds);

/** The first of a race runs twice a round. */
const samplesInRace = (racers: number, rounds: number): number => (racers + 1) * rounds;

/** Of heats and race of so many. */
const samplesOf = (finalists: number, rounds: number): number =>
  samplesInHeats(finalists, mostRacers) + samplesInRace(Math.min(finalists, mostRacers), rounds);

/**
 * Milliseconds to keep for the heats and the race: as long as the fewest rounds take that settle it.
 *
 * @param bestNs of the search so far; null: nothing has run
 */
export function raceMsOf({ seconds }: Budget, bestNs: number | null): number {
  const samplesMs = (samplesOf(mostFinalists, defaultRaceOptions.leastRounds) * (bestNs ?? 0)) / 1e6;
  return Math.min(Math.max(leastRaceMs, samplesMs), seconds * 1_000 * raceShare);
}

/** Who may take part in the time left: as many as the fewest rounds that decide anything have time for, two at least. */
export function finalistsIn(leftMs: number, bestNs: number): number {
  const samples = (leftMs * 1e6) / Math.max(1, bestNs);
  let finalists = mostFinalists;
  while (finalists > 2 && samplesOf(finalists, roundsForStatistics) > samples) finalists -= 1;
  return finalists;
}

/** What a round has cost, deciding and building included. */
export interface RoundCost {
  readonly measured: number;
  readonly ms: number;
}

/** Fewer candidates than this are noise to a search that learns, and not worth a compiler's start. */
export const leastRound = 8;

/** Of slow kernels fewer are worth a last round: nothing is learned after it, and the time is there. */
export const leastLastRound = 4;

/** How many candidates of a next round fit into the time left, if they take as long as those of the last; 0: too few. */
export function fittingIn(leftMs: number, { measured, ms }: RoundCost): number {
  const fitting = ms > 0 ? Math.floor((leftMs * measured) / ms) : Number.POSITIVE_INFINITY;
  return fitting < leastLastRound ? 0 : fitting;
}
