// Division of a tuning's seconds between rounds of candidates and the race of the best at the end.

import { longestYardstickNs } from "../../native/runner/yardstick.ts";
import type { Budget } from "../data/task.ts";
import { mostFinalists, mostRacers } from "../measure/finalists.ts";
import { samplesInHeats } from "../measure/heats.ts";
import { defaultRaceOptions, roundsForStatistics } from "../measure/race.ts";

/** Least time to keep for the race, in milliseconds: even for short kernels, finalists are built, woken and waited for. */
const leastRaceMs = 1_500;
/** Largest share of the budget that is kept for the race. */
const raceShare = 1 / 4;

/**
 * Longest heats and race, as a share of the rounds' time, and in milliseconds for spaces whose few candidates take no time.
 */
const raceOfRounds = 1 / 2;
const leastLimitMs = 750;

/** Returns the milliseconds after which heats and race come to an end, however much is left of the budget. */
export const longestRaceMs = (roundsMs: number): number => Math.max(leastLimitMs, roundsMs * raceOfRounds);

/** Cost of steps of the race, in runs of the kernel. */
interface RunCosts {
  /** Runs of one sample; a disturbed one is taken again. */
  readonly sample: number;
  /** Runs of loading a kernel: it is checked where it is loaded. */
  readonly load: number;
}

/** Returns a kernel's costs. The check of a long one serves as a sample, and no sample of it is taken again. */
const costsOf = (ns: number): RunCosts => (ns > longestYardstickNs ? { sample: 1, load: 0 } : { sample: 1.5, load: 1 });

/**
 * Counts runs of the heats and race of these finalists; in each round of the race the first runs twice. Kernels short enough
 * to be loaded anew for each round take no time that matters here.
 */
function runsOf(finalists: number, rounds: number, { sample, load }: RunCosts): number {
  const racers = Math.min(finalists, mostRacers);
  const samples = samplesInHeats(finalists, mostRacers) + rounds * (racers + 1);
  return finalists * load + samples * sample;
}

/**
 * Returns the milliseconds to keep for the heats and the race: the time of the fewest rounds that settle it.
 *
 * @param bestNs time of the search's best so far; null: nothing has run
 */
export function raceMsOf({ seconds }: Budget, bestNs: number | null): number {
  const ns = bestNs ?? 0;
  const runsMs = (runsOf(mostFinalists, defaultRaceOptions.leastRounds, costsOf(ns)) * ns) / 1e6;
  return Math.min(Math.max(leastRaceMs, runsMs), seconds * 1_000 * raceShare);
}

/** Returns how many finalists the fewest rounds that decide anything have time for; two at least. */
export function finalistsIn(leftMs: number, bestNs: number): number {
  const runs = (leftMs * 1e6) / Math.max(1, bestNs);
  const costs = costsOf(bestNs);
  let finalists = mostFinalists;
  while (finalists > 2 && runsOf(finalists, roundsForStatistics, costs) > runs) finalists -= 1;
  return finalists;
}

/** Milliseconds that a race has even if it begins late: short kernels need no more, and are known better after it. */
export const leastRaceLeftMs = 250;

/** Says whether two finalists have time for the fewest rounds that decide anything. If not, the search has decided. */
export const isTimeToRace = (leftMs: number, bestNs: number): boolean =>
  (runsOf(2, roundsForStatistics, costsOf(bestNs)) * bestNs) / 1e6 <= Math.max(leftMs, leastRaceLeftMs);

/** Cost of a round, deciding and building included. */
export interface RoundCost {
  readonly measured: number;
  readonly ms: number;
}

/** Fewest candidates of a round: fewer are noise to a search that learns, and not worth a compiler's start. */
export const leastRound = 8;

/** Fewest candidates of a last round, where kernels are slow: nothing is learned after it, and the time is there. */
export const leastLastRound = 4;

/**
 * Returns how many candidates of a next round fit into the time left, if they take as long as those of the last; 0: too
 * few.
 */
export function fittingIn(leftMs: number, { measured, ms }: RoundCost): number {
  const fitting = ms > 0 ? Math.floor((leftMs * measured) / ms) : Number.POSITIVE_INFINITY;
  return fitting < leastLastRound ? 0 : fitting;
}
