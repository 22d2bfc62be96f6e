// A race between finalists: all run in every round, so that a slower machine slows them all, and ratios
// within a round decide. Entrant 0 is the incumbent: it runs first and last in each round, and a round in which its two
// times disagree is discarded. A clearly slower entrant drops out.

import type { Timing } from "../data/measurement.ts";
import { median, quantile, summarize, trimmedMean } from "./statistics.ts";

export interface RaceOptions {
  /** Most rounds, discarded ones included. */
  readonly maxRounds: number;
  /** Nanoseconds of samples after which no more rounds than `leastRounds` are run. */
  readonly budgetNs: number;
  readonly leastRounds: number;
  /** Least time of a sample, in nanoseconds: short runs are repeated to fill it. */
  readonly sampleNs: number;
  /** Times that differ by less than this share are equal. */
  readonly tie: number;
  /** Whether the clock says that time is over: then no more rounds than the fewest that statistics are made of. */
  readonly isOver?: (() => boolean) | undefined;
  /**
   * Puts the entrants elsewhere in memory, between two rounds of short runs. Where a kernel and its data lie is worth some
   * per cent of such a run, and differs from process to process.
   */
  readonly relocate?: () => void;
}

export const defaultRaceOptions: RaceOptions = {
  maxRounds: 64,
  budgetNs: 1e9,
  leastRounds: 8,
  sampleNs: 500_000,
  tie: 0.01,
};

/** One round: times of one run by entrant, null for those out of the race. */
export interface RaceRound {
  /** Times by entrant. The incumbent's is the geometric mean of its two. */
  readonly timesNs: readonly (number | null)[];
  readonly incumbentNs: readonly [first: number, last: number];
}

/** |ln| of the incumbent's last time over its first. */
export const driftOf = ({ incumbentNs: [first, last] }: RaceRound): number => Math.abs(Math.log(last / first));

export interface RaceStanding {
  /** Entrants still in the race. The incumbent may drop out too; it is still run, to tell calm rounds. */
  readonly active: readonly number[];
  readonly leader: number;
  readonly done: boolean;
}

export interface RaceResult {
  readonly winner: number;
  /** The best of the others; null where there is no other, or none ran. */
  readonly runnerUp: number | null;
  /** Median over the rounds of an entrant's time over the incumbent's; null for an entrant that never ran. */
  readonly ratios: readonly (number | null)[];
  /** Timing of each entrant over the calm rounds; null for an entrant that never ran. */
  readonly timings: readonly (Timing | null)[];
  readonly rounds: readonly RaceRound[];
}

/** The incumbent's times may differ by this much within a good round, or by twice what is usual on this machine. */
const calmDrift = Math.log(1.05);

/**
 * An entrant slower by this factor in three rounds is dropped without a test. Two rounds are too few: both may have been
 * interrupted.
 */
const clearlySlower = Math.log(1.1);
const clearRounds = 3;

/** Fewest rounds that tell of their own spread. */
export const roundsForStatistics = 4;

/** Standard errors between a mean and near certainty: close to Student's t at 0.5 % one-sided for 4 to 40 rounds. */
const certainty = (rounds: number): number => 2.5 + 9 / (rounds - 1);

/** Returns the rounds in which the machine was steady. */
export function calmRounds(rounds: readonly RaceRound[]): readonly RaceRound[] {
  if (rounds.length === 0) return rounds;
  const limit = Math.max(calmDrift, 2 * median(rounds.map(driftOf)));
  return rounds.filter((round) => driftOf(round) <= limit);
}

/** Returns ln of the time of `entrant` over that of `other`, for the rounds that both ran in. */
export function pairedLogRatios(rounds: readonly RaceRound[], entrant: number, other: number): number[] {
  return rounds.flatMap(({ timesNs }) => {
    const [mine, theirs] = [timesNs[entrant] ?? null, timesNs[other] ?? null];
    return mine === null || theirs === null ? [] : [Math.log(mine / theirs)];
  });
}

/**
 * Longest run, in nanoseconds, for which relocating pays: a longer one's place makes no visible difference, and loading it
 * anew takes longer than timing it.
 */
export const longestRelocatedNs = 2e6;

const isShort = ({ timesNs }: RaceRound): boolean => timesNs.some((ns) => ns !== null && ns < longestRelocatedNs);

/** Decides after a round: a pure function of the times. */
export function judge(rounds: readonly RaceRound[], active: readonly number[], options: RaceOptions): RaceStanding {
  const calm = calmRounds(rounds);
  const leader = leaderOf(calm, active);
  const rest = active.filter((entrant) => entrant === leader || !isSlower(pairedLogRatios(calm, entrant, leader)));
  const settled =
    quantilesAgree(calm, leader, options.tie) &&
    rest.every((entrant) => entrant === leader || isTie(pairedLogRatios(calm, entrant, leader), options.tie));
  return { active: rest, leader, done: settled || isSpent(rounds, options) };
}

function leaderOf(rounds: readonly RaceRound[], active: readonly number[]): number {
  const score = (entrant: number): number => {
    const ratios = pairedLogRatios(rounds, entrant, 0);
    return ratios.length === 0 ? Number.POSITIVE_INFINITY : median(ratios);
  };
  return active.reduce((best, entrant) => (score(entrant) < score(best) ? entrant : best));
}

function isSlower(ratios: readonly number[]): boolean {
  if (ratios.length >= clearRounds && Math.min(...ratios) > clearlySlower) return true;
  if (ratios.length < roundsForStatistics) return false;
  const { mean, standardError, count } = trimmedMean(ratios);
  return mean - certainty(count) * standardError > 0;
}

function isTie(ratios: readonly number[], tie: number): boolean {
  if (ratios.length < roundsForStatistics) return false;
  const { mean, standardError, count } = trimmedMean(ratios);
  return Math.abs(mean) + certainty(count) * standardError < Math.log(1 + tie);
}

/**
 * Says whether the leader is not slower than the incumbent by its 20 % quantile and its minimum either. Both are taken
 * of single samples, the incumbent's at the beginning of each round.
 */
function quantilesAgree(rounds: readonly RaceRound[], leader: number, tie: number): boolean {
  const both = rounds.filter(({ timesNs }) => (timesNs[leader] ?? null) !== null);
  if (leader === 0 || both.length === 0) return true;
  const theirs = both.map(({ incumbentNs: [first] }) => first);
  const own = both.map(({ timesNs }) => timesNs[leader]!);
  return [0, 0.2].every((share) => quantile(own, share) <= quantile(theirs, share) * (1 + tie));
}

/**
 * Says whether the race has used its rounds or time. A sample counts as one run or `sampleNs`, whichever is longer;
 * pauses are not counted.
 */
function isSpent(rounds: readonly RaceRound[], { maxRounds, leastRounds, budgetNs, sampleNs }: RaceOptions): boolean {
  if (rounds.length < Math.min(leastRounds, maxRounds)) return false;
  const samples = rounds.flatMap(({ timesNs, incumbentNs }) => [incumbentNs[0], ...timesNs]);
  const spentNs = samples.reduce<number>((sum, ns) => sum + (ns === null ? 0 : Math.max(ns, sampleNs)), 0);
  return rounds.length >= maxRounds || spentNs >= budgetNs;
}

/**
 * Returns the leader, unless the incumbent is as good, or is not slower by quantile or minimum: a change has to be worth
 * it, beyond doubt.
 */
function winnerOf(rounds: readonly RaceRound[], { leader }: RaceStanding, tie: number): number {
  const calm = calmRounds(rounds);
  const ratios = pairedLogRatios(calm, 0, leader);
  const isFaster = ratios.length > 0 && median(ratios) > Math.log(1 + tie);
  return isFaster && quantilesAgree(calm, leader, tie) ? leader : 0;
}

/**
 * Runs a race of `entrants` candidates, the first of them the incumbent. `sample` gives the time of one run in
 * nanoseconds, or null for a candidate that failed, which puts it out of the race.
 *
 *     const { winner } = await race(finalists.length, (index) => timeOf(finalists[index]));
 */
export async function race(
  entrants: number,
  sample: (entrant: number) => Promise<number | null>,
  options: RaceOptions = defaultRaceOptions,
): Promise<RaceResult> {
  const rounds: RaceRound[] = [];
  let verdict: RaceStanding = {
    active: Array.from({ length: entrants }, (_, index) => index),
    leader: 0,
    done: entrants < 2,
  };
  while (!verdict.done) {
    if (rounds.length > 0 && isShort(rounds.at(-1)!)) options.relocate?.();
    const round = await runRound(entrants, verdict.active, rounds.length, sample);
    if (!round) break;
    rounds.push(round);
    const running = verdict.active.filter((entrant) => round.timesNs[entrant] !== null);
    verdict = judge(rounds, running, options);
    if (rounds.length >= roundsForStatistics && options.isOver?.()) break;
  }
  return resultOf(entrants, rounds, winnerOf(rounds, verdict, options.tie));
}

function resultOf(entrants: number, rounds: readonly RaceRound[], winner: number): RaceResult {
  const calm = calmRounds(rounds);
  const all = Array.from({ length: entrants }, (_, entrant) => entrant);
  const ratios = all.map((entrant) => ratioOf(calm, entrant));
  const others = all.filter((entrant) => entrant !== winner && ratios[entrant] !== null);
  others.sort((left, right) => ratios[left]! - ratios[right]!);
  const timings = all.map((entrant) => timingOf(calm, entrant));
  return { winner, runnerUp: others[0] ?? null, ratios, timings, rounds };
}

function ratioOf(rounds: readonly RaceRound[], entrant: number): number | null {
  const ratios = pairedLogRatios(rounds, entrant, 0);
  return ratios.length === 0 ? null : Math.exp(median(ratios));
}

function timingOf(rounds: readonly RaceRound[], entrant: number): Timing | null {
  const times = rounds.flatMap(({ timesNs }) => timesNs[entrant] ?? []);
  return times.length === 0 ? null : summarize(times);
}

/**
 * Runs the incumbent, the others in an order that turns from round to round, and the incumbent again. Null if the incumbent
 * fails.
 */
async function runRound(
  entrants: number,
  active: readonly number[],
  turn: number,
  sample: (entrant: number) => Promise<number | null>,
): Promise<RaceRound | null> {
  const timesNs: (number | null)[] = Array(entrants).fill(null);
  const first = await sample(0);
  if (first === null) return null;
  const others = active.filter((entrant) => entrant !== 0);
  for (const position of others.keys()) {
    const entrant = others[(position + turn) % others.length]!;
    timesNs[entrant] = await sample(entrant);
  }
  const last = await sample(0);
  if (last === null) return null;
  timesNs[0] = Math.sqrt(first * last);
  return { timesNs, incumbentNs: [first, last] };
}
