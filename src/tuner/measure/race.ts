// A race between finalists: all run in every round, so that whatever slows the machine slows them all, and ratios
// within a round decide. Entrant 0 is the incumbent: it runs first and last in each round, and a round in which its two
// times disagree is discarded. Who is clearly slower drops out.

import { mean, median, standardError } from "./statistics.ts";

export interface RaceOptions {
  /** Most rounds, discarded ones included. */
  readonly maxRounds: number;
  /** Times that differ by less than this share are equal. */
  readonly tie: number;
}

export const defaultRaceOptions: RaceOptions = { maxRounds: 16, tie: 0.01 };

/** One round: times of one run by entrant, null for those out of the race. */
export interface Round {
  readonly timesNs: readonly (number | null)[];
  /** |ln| of the incumbent's last time over its first. */
  readonly drift: number;
}

export interface Verdict {
  /** Those still in the race. The incumbent may drop out too; it is still run, as the sentinel. */
  readonly active: readonly number[];
  readonly leader: number;
  readonly done: boolean;
}

export interface RaceResult {
  readonly winner: number;
  /** Median over the rounds of an entrant's time over the incumbent's; null for one that never ran. */
  readonly ratios: readonly (number | null)[];
  readonly rounds: readonly Round[];
}

/** The incumbent's times may differ by this much within a good round, or by twice what is usual on this machine. */
const calmDrift = Math.log(1.05);

/** Who is this much slower in each of two rounds needs no statistics. */
const clearlySlower = Math.log(1.1);

/** Fewer rounds than this say nothing of their own spread. */
const roundsForStatistics = 4;

/** Standard errors between a mean and near certainty: close to Student's t at 0.5 % one-sided for 4 to 40 rounds. */
const certainty = (rounds: number): number => 2.5 + 9 / (rounds - 1);

/** The rounds in which the machine was steady. */
export function calmRounds(rounds: readonly Round[]): readonly Round[] {
  if (rounds.length === 0) return rounds;
  const limit = Math.max(calmDrift, 2 * median(rounds.map(({ drift }) => drift)));
  return rounds.filter(({ drift }) => drift <= limit);
}

/** ln of the time of `entrant` over that of `other`, for the rounds that both ran in. */
export function pairedLogRatios(rounds: readonly Round[], entrant: number, other: number): number[] {
  return rounds.flatMap(({ timesNs }) => {
    const [mine, theirs] = [timesNs[entrant] ?? null, timesNs[other] ?? null];
    return mine === null || theirs === null ? [] : [Math.log(mine / theirs)];
  });
}

/** Decides after a round: pure, from the times alone. */
export function judge(rounds: readonly Round[], active: readonly number[], options: RaceOptions): Verdict {
  const calm = calmRounds(rounds);
  const leader = leaderOf(calm, active);
  const rest = active.filter((entrant) => entrant === leader || !isSlower(pairedLogRatios(calm, entrant, leader)));
  const settled = rest.every(
    (entrant) => entrant === leader || isTie(pairedLogRatios(calm, entrant, leader), options.tie),
  );
  return { active: rest, leader, done: settled || rounds.length >= options.maxRounds };
}

function leaderOf(rounds: readonly Round[], active: readonly number[]): number {
  const score = (entrant: number): number => {
    const ratios = pairedLogRatios(rounds, entrant, 0);
    return ratios.length === 0 ? Number.POSITIVE_INFINITY : median(ratios);
  };
  return active.reduce((best, entrant) => (score(entrant) < score(best) ? entrant : best));
}

function isSlower(ratios: readonly number[]): boolean {
  if (ratios.length >= 2 && Math.min(...ratios) > clearlySlower) return true;
  return ratios.length >= roundsForStatistics && mean(ratios) - certainty(ratios.length) * standardError(ratios) > 0;
}

const isTie = (ratios: readonly number[], tie: number): boolean =>
  ratios.length >= roundsForStatistics &&
  Math.abs(mean(ratios)) + certainty(ratios.length) * standardError(ratios) < Math.log(1 + tie);

/** The leader, unless the incumbent is as good: a change has to be worth it. */
function winnerOf(rounds: readonly Round[], { leader }: Verdict, tie: number): number {
  const ratios = pairedLogRatios(calmRounds(rounds), 0, leader);
  return ratios.length > 0 && median(ratios) > Math.log(1 + tie) ? leader : 0;
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
  const rounds: Round[] = [];
  let verdict: Verdict = {
    active: Array.from({ length: entrants }, (_, index) => index),
    leader: 0,
    done: entrants < 2,
  };
  while (!verdict.done) {
    const round = await runRound(entrants, verdict.active, rounds.length, sample);
    if (!round) break;
    rounds.push(round);
    const running = verdict.active.filter((entrant) => round.timesNs[entrant] !== null);
    verdict = judge(rounds, running, options);
  }
  const ratios = Array.from({ length: entrants }, (_, entrant) => ratioOf(rounds, entrant));
  return { winner: winnerOf(rounds, verdict, options.tie), ratios, rounds };
}

function ratioOf(rounds: readonly Round[], entrant: number): number | null {
  const ratios = pairedLogRatios(calmRounds(rounds), entrant, 0);
  return ratios.length === 0 ? null : Math.exp(median(ratios));
}

/** Incumbent, the others in an order that turns from round to round, incumbent. Null if the incumbent fails. */
async function runRound(
  entrants: number,
  active: readonly number[],
  turn: number,
  sample: (entrant: number) => Promise<number | null>,
): Promise<Round | null> {
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
  return { timesNs, drift: Math.abs(Math.log(last / first)) };
}
