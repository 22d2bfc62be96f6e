// Finished runs → what the report says: how soon which share of the best known was reached, and at what cost.

import { median } from "../../../src/tuner/measure/statistics.ts";
import { reachedAt, type Step } from "../../../src/tuner/report/best-so-far.ts";
import { decidingShare } from "../../../src/tuner/report/time-split.ts";
import { type StrategyName, strategyNames } from "../../../src/tuner/search/strategy/strategy.ts";
import type { Profile } from "../../../src/tuner/support/profile.ts";
import { comparedStrategies } from "./planned-runs.ts";
import type { Improvement, RunResult } from "./run-result.ts";
import { isSettled, keyOf, type SettledTimes } from "./settled-times.ts";

export const shares = [0.8, 0.9, 0.95, 0.99] as const;

/** A run with settled times. */
export interface SettledRun extends RunResult {
  /** Improvements that hold for the settled times too. A candidate that only seemed faster is left out. */
  readonly improvements: readonly Improvement[];
  /** Time of the race's choice; infinite: nothing ran. */
  readonly chosenNs: number;
}

/** One task on one target: everything that is compared with each other. */
export interface Contest {
  readonly task: string;
  readonly target: string;
  /** Runs of the comparison that are settled, without the long ones. */
  readonly runs: readonly SettledRun[];
  /** The fastest that any of its runs has found, long ones too; null: nothing ran, or nothing is settled. */
  readonly best: { readonly ns: number; readonly by: SettledRun } | null;
  readonly settled: SettledTimes | null;
  /** Runs since the last settling: in no figure. */
  readonly unsettled: number;
}

/** Medians and worst of one strategy's seeds; infinite: never. */
export interface Standing {
  readonly strategy: string;
  readonly runs: readonly SettledRun[];
  /** One for each of `shares`. */
  readonly trials: readonly MiddleAndWorst[];
  readonly seconds: readonly MiddleAndWorst[];
  /** Best known time over the time of the race's choice: 1 is the best. */
  readonly final: number;
  readonly validShare: number;
  readonly decidingShare: number;
  readonly trialsPerSecond: number;
}

export interface MiddleAndWorst {
  readonly middle: number;
  readonly worst: number;
}

/** CPU of the latest run: times of different machines are not compared. */
export const latestCpu = (results: readonly RunResult[]): string | null =>
  results.toSorted((a, b) => (a.finishedAt < b.finishedAt ? 1 : -1))[0]?.cpu ?? null;

/** @param seconds budget of the runs that are compared; those with others serve for the best known */
export function contestsOf(
  results: readonly RunResult[],
  times: readonly SettledTimes[],
  seconds: number,
): readonly Contest[] {
  const pairs = new Map(results.map(({ task, target }) => [`${task} ${target}`, { task, target }]));
  return [...pairs.values()].map(({ task, target }) => {
    const isHere = (one: { readonly task: string; readonly target: string }): boolean =>
      one.task === task && one.target === target;
    const settled = times.find(isHere) ?? null;
    const all = results.filter(isHere);
    const own = all.flatMap((run) => (settled && isSettled(run, settled) ? [settledRun(run, settled)] : []));
    const runs = own.filter((run) => !run.isLong && run.seconds === seconds);
    return { task, target, runs, best: bestOf(own), settled, unsettled: all.length - own.length };
  });
}

function settledRun(run: RunResult, { times }: SettledTimes): SettledRun {
  const improvements: Improvement[] = [];
  for (const improvement of run.improvements) {
    // The slowest were not measured.
    const ns = times[keyOf(improvement.candidate)] ?? Number.POSITIVE_INFINITY;
    if (ns < (improvements.at(-1)?.ns ?? Number.POSITIVE_INFINITY)) improvements.push({ ...improvement, ns });
  }
  return { ...run, improvements, chosenNs: run.winner ? times[keyOf(run.winner)]! : Number.POSITIVE_INFINITY };
}

function bestOf(runs: readonly SettledRun[]): Contest["best"] {
  return runs.reduce<Contest["best"]>((best, by) => {
    const ns = Math.min(by.improvements.at(-1)?.ns ?? Number.POSITIVE_INFINITY, by.chosenNs);
    return ns < (best?.ns ?? Number.POSITIVE_INFINITY) ? { ns, by } : best;
  }, null);
}

/** The same everywhere, so that a strategy has the same colour in all plots. */
const inOrder = [...new Set<StrategyName>([...comparedStrategies, ...strategyNames])];

export function standingsOf({ runs, best }: Contest): readonly Standing[] {
  if (!best) return [];
  const names = inOrder.filter((name) => runs.some(({ strategy }) => strategy === name));
  return names.map((strategy) =>
    standingOf(
      strategy,
      runs.filter((run) => run.strategy === strategy),
      best.ns,
    ),
  );
}

function standingOf(strategy: string, runs: readonly SettledRun[], bestNs: number): Standing {
  const reached = (position: (run: SettledRun) => readonly Step[]) =>
    shares.map((share) => middleAndWorst(runs.map((run) => reachedAt(position(run), share))));
  return {
    strategy,
    runs,
    trials: reached(({ improvements }) => improvements.map(({ trial, ns }) => [trial, bestNs / ns])),
    seconds: reached(({ improvements }) => improvements.map(({ elapsedMs, ns }) => [elapsedMs / 1000, bestNs / ns])),
    final: median(runs.map(({ chosenNs }) => bestNs / chosenNs)),
    validShare: validShareOf(runs),
    decidingShare: decidingShare(sumOfProfiles(runs)),
    trialsPerSecond: median(runs.map(({ trials, startedMs, endedMs }) => (trials / (endedMs - startedMs)) * 1000)),
  };
}

/** Returns the upper median and the greatest value. The median is not interpolated, as a value may be infinite. */
export function middleAndWorst(values: readonly number[]): MiddleAndWorst {
  const sorted = values.toSorted((a, b) => a - b);
  return { middle: sorted[sorted.length >> 1]!, worst: sorted.at(-1)! };
}

/** Share of all measured candidates that ran; one that timed out did not. */
export function validShareOf(runs: readonly RunResult[]): number {
  return 1 - shareOfFailures(runs, () => true);
}

export const timedOutShareOf = (runs: readonly RunResult[]): number =>
  shareOfFailures(runs, (kind) => kind === "timed-out");

function shareOfFailures(runs: readonly RunResult[], counts: (kind: string) => boolean): number {
  const trials = runs.reduce((sum, run) => sum + run.trials, 0);
  const failures = runs.flatMap(({ invalid }) => Object.entries(invalid)).filter(([kind]) => counts(kind));
  return trials > 0 ? failures.reduce((sum, [, count]) => sum + count, 0) / trials : 0;
}

export function sumOfProfiles(runs: readonly RunResult[]): Profile {
  const [first, ...rest] = runs.map(({ profile }) => profile);
  if (!first) throw new Error("a sum needs a profile");
  return rest.reduce<Profile>(
    (sum, profile) =>
      Object.fromEntries(
        Object.entries(sum).map(([part, ms]) => [part, ms + profile[part as keyof Profile]]),
      ) as unknown as Profile,
    first,
  );
}
