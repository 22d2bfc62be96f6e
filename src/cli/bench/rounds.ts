// Calls that are measured against each other take turns: a sample of each in every round, in an order that moves on. A slower machine
// therefore slows them all. A sample of several short runs is their mean.

import { nowMs } from "../../native/machine/clock.ts";
import { quantile } from "../../tuner/measure/statistics.ts";

export type Call = () => unknown;

/** A call that is timed. */
export interface Timed {
  readonly call: Call;
  /** Waits until all calls have ended, where calls only begin it. */
  readonly settle?: () => Promise<unknown>;
}

export interface Times {
  /** Median time of one run. */
  readonly medianNs: number;
  readonly p20Ns: number;
  readonly p80Ns: number;
  readonly samples: number;
}

export interface RoundsOptions {
  /** Seconds for all calls together, without the time that they take to become warm. */
  readonly seconds: number;
  /** Milliseconds, monotonic. */
  readonly clock?: () => number;
  /** About how long a sample lasts, where the clock's steps are too coarse for the usual 2 ms. */
  readonly sampleMs?: number;
  /** Called after each round with the part of the time that is over, 0 to 1. */
  readonly onRound?: (share: number) => void;
}

/** Milliseconds for which a call is run before it is measured: engines compile hot code anew after some time. */
const warmMs = 100;
const usualSampleMs = 2;
const leastSamples = 3;
const mostRounds = 1000;

/** Most runs in a sample. */
const mostRuns = 1e6;

interface Runner {
  readonly timed: Timed;
  /** Runs in one sample. */
  runs: number;
  readonly samplesMs: number[];
  /** Number of samples that it takes, however long they last. */
  readonly least: number;
  spentMs: number;
}

async function runFor({ call, settle }: Timed, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const result = call();
    if (result instanceof Promise) await result;
  }
  await settle?.();
}

interface WarmUpOptions {
  readonly shareMs: number;
  readonly sampleMs: number;
  readonly clock: () => number;
}

async function warmUp(timed: Timed, { shareMs, sampleMs, clock }: WarmUpOptions): Promise<Runner> {
  let runMs = 0;
  for (let spentMs = 0, runs = 1; spentMs < warmMs; runs = Math.min(mostRuns, runs * 2)) {
    const start = clock();
    await runFor(timed, runs);
    const ms = clock() - start;
    spentMs += ms;
    runMs = ms / runs;
    // A clock of coarse steps says nothing of a few short runs.
    if (runs === mostRuns) break;
  }
  const runs = Math.min(mostRuns, Math.max(1, Math.round(sampleMs / runMs)));
  // A call so slow that warming it up takes its whole share of the time is not sampled again: that run is its one
  // sample.
  const isSlow = runMs >= shareMs;
  return {
    timed,
    runs,
    samplesMs: isSlow ? [runMs] : [],
    least: isSlow ? 1 : leastSamples,
    spentMs: isSlow ? runMs : 0,
  };
}

async function takeSample(runner: Runner, sampleMs: number, clock: () => number): Promise<void> {
  const { timed, runs, samplesMs } = runner;
  const begin = clock();
  // The one before has left its own data in the caches.
  if (runs > 1) await runFor(timed, 1);
  const start = clock();
  await runFor(timed, runs);
  const end = clock();
  runner.spentMs += end - begin;
  // Another program had the core while the runs were counted. A clock of coarse steps says nothing of so few.
  if (end - start < sampleMs / 2 && runs < mostRuns) runner.runs = Math.min(mostRuns, 2 * runs);
  else samplesMs.push((end - start) / runs);
}

function timesOf({ samplesMs }: Runner): Times {
  const ns = (q: number): number => quantile(samplesMs, q) * 1e6;
  return { medianNs: ns(0.5), p20Ns: ns(0.2), p80Ns: ns(0.8), samples: samplesMs.length };
}

/**
 * Returns one entry for each, in order. Each call has at least a few samples; one that has had its share of the time sits out other rounds.
 *
 *     const [kernel, loops] = await timeInRounds([{ call: () => gemm(A, B, C) }, { call: () => plain(A, B, C) }], { seconds: 2 });
 */
export async function timeInRounds(
  all: readonly Timed[],
  { seconds, clock = nowMs, sampleMs = usualSampleMs, onRound = () => {} }: RoundsOptions,
): Promise<readonly Times[]> {
  const shareMs = (seconds * 1000) / all.length;
  const runners: Runner[] = [];
  for (const timed of all) runners.push(await warmUp(timed, { shareMs, sampleMs, clock }));
  const takesPart = ({ samplesMs, least, spentMs }: Runner): boolean => samplesMs.length < least || spentMs < shareMs;
  for (let round = 0; round < mostRounds && runners.some(takesPart); round++) {
    for (const position of runners.keys()) {
      const runner = runners[(position + round) % runners.length]!;
      if (takesPart(runner)) await takeSample(runner, sampleMs, clock);
    }
    onRound(runners.reduce((sum, { spentMs }) => sum + Math.min(1, spentMs / shareMs), 0) / runners.length);
  }
  return runners.map(timesOf);
}
