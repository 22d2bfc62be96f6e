// How the seconds of one tuning are divided: rounds of candidates, and the race of the best at the end.

import { longestYardstickNs } from "../native/runner/yardstick.ts";
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

/** Of a kernel that takes so long, in runs. */
interface RunCosts {
  /** One that was disturbed is taken again. */
  readonly sample: number;
  /** It is checked where it is loaded. */
  readonly load: number;
}

/** The check of a long one is a sample, and it is never taken again. */
const costsOf = (ns: number): RunCosts => (ns > longestYardstickNs ? { sample: 1, load: 0 } : { sample: 1.5, load: 1 });

/**
 * Runs of heats and race of so many; in each round of the race the first runs twice. Those short enough to be loaded anew
 * for each round take no time that matters here.
 */
function runsOf(finalists: number, rounds: number, { sample, load }: RunCosts): number {
  const racers = Math.min(finalists, mostRacers);
  const samples = samplesInHeats(finalists, mostRacers) + rounds * (racers + 1);
  return finalists * load + samples * sample;
}

/**
 * Milliseconds to keep for the heats and the race: as long as the fewest rounds take that settle it.
 *
 * @param bestNs of the search so far; null: nothing has run
 */
export function raceMsOf({ seconds }: Budget, bestNs: number | null): number {
  const ns = bestNs ?? 0;
  const runsMs = (runsOf(mostFinalists, defaultRaceOptions.leastRounds, costsOf(ns)) * ns) / 1e6;
  return Math.min(Math.max(leastRaceMs, runsMs), seconds * 1_000 * raceShare);
}

/** Who may take part in the time left: as many as the fewest rounds that decide anything have time for, two at least. */
export function finalistsIn(leftMs: number, bestNs: number): number {
  const runs = (leftMs * 1e6) / Math.max(1, bestNs);
  const costs = costsOf(bestNs);
  let finalists = mostFinalists;
  while (finalists > 2 && runsOf(finalists, roundsForStatistics, costs) > runs) finalists -= 1;
  return finalists;
}

/** A race that begins late has so many milliseconds: short kernels need no more, and are known better after it. */
export const leastRaceLeftMs = 250;

/** Whether two finalists have time for the fewest rounds that decide anything; else the search has decided. */
export const isTimeToRace = (leftMs: number, bestNs: number): boolean =>
  (runsOf(2, roundsForStatistics, costsOf(bestNs)) * bestNs) / 1e6 <= Math.max(leftMs, leastRaceLeftMs);

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
