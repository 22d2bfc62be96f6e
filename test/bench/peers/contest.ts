// Kernels and libraries against each other: samples in turns, A B C, B C A, … A slower machine slows them all, so only
// ratios within a round are compared.

import { median, quantile } from "../../../src/tuner/measure/statistics.ts";
import { type Entrant, type Entry, isEntrant } from "./entrant.ts";

export interface ContestOptions {
  readonly rounds: number;
  /** Between two samples: threads of a library that has just run still look for more for so long. */
  readonly pauseMs: number;
  /** After it: threads that slept come to their cores. */
  readonly warmNs: number;
  /** A sample is as many runs as fill this time. */
  readonly sampleNs: number;
}

/** Result of a library, or of another kernel of ours, beside our kernel. */
export interface Rival {
  readonly name: string;
  readonly version: string;
  /** Kernels that it chose for this CPU, as it names them: "SkylakeX". Nothing: not recorded, or it does not say. */
  readonly chosen?: string;
  readonly medianNs: number;
  /** Its time over ours, in the rounds: above 1 ours is faster. */
  readonly ratio: Spread;
}

export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface ContestResult {
  readonly medianNs: number;
  /** Rivals that have the operation and gave the right answer. */
  readonly rivals: readonly Rival[];
  /** Reason why each other rival failed, by name. */
  readonly failures: Readonly<Record<string, string>>;
}

/** One of ours against all others. */
export async function compete(
  ours: Entrant,
  others: readonly Entry[],
  options: ContestOptions,
): Promise<ContestResult> {
  const rivals = others.filter(isEntrant);
  const timesNs = await inTurns([ours, ...rivals], options.rounds, async ({ sample }) => {
    pause(options.pauseMs);
    if (options.warmNs > 0) await sample(options.warmNs);
    return sample(options.sampleNs);
  });
  const ownNs = timesNs.get(ours)!;
  return {
    medianNs: median(ownNs),
    rivals: rivals.map((rival) => {
      const { name, version, chosen = null } = rival;
      const theirs = timesNs.get(rival)!;
      const ratio = spreadOf(theirs.map((ns, at) => ns / ownNs[at]!));
      return { name, version, ...(chosen === null ? {} : { chosen }), medianNs: median(theirs), ratio };
    }),
    failures: Object.fromEntries(
      others.flatMap((entry) => (isEntrant(entry) || entry.reason === null ? [] : [[entry.name, entry.reason]])),
    ),
  };
}

/** Keeps the thread and leaves the core. */
function pause(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Times all entrants in each round. Another one begins each time, so that none always runs after the same one. */
async function inTurns(
  entrants: readonly Entrant[],
  rounds: number,
  time: (entrant: Entrant) => Promise<number>,
): Promise<ReadonlyMap<Entrant, readonly number[]>> {
  const times = new Map(entrants.map((entrant) => [entrant, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const at of entrants.keys()) {
      const entrant = entrants[(at + round) % entrants.length]!;
      times.get(entrant)!.push(await time(entrant));
    }
  return times;
}

/** The tenth and the ninetieth per cent, and the median. */
export const spreadOf = (values: readonly number[]): Spread => ({
  low: quantile(values, 0.1),
  median: median(values),
  high: quantile(values, 0.9),
});
