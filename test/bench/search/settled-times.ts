// Times that runs of different hours can be compared by. What a search records was measured in its own hour, with what else
// the machine did then, and its best is the luckiest of many. So all that the runs of a task have found is measured once
// more, side by side, and figures are made of those times. settled.jsonl: one task on one target a line, the last counts.

import { sha256, type TargetName } from "../../../src/compiler/index.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { median, quantile } from "../../../src/tuner/measure/statistics.ts";
import { candidateKey } from "../../../src/tuner/search/point/search-space.ts";
import { appendLine, readLines } from "../json-lines.ts";
import type { RunResult } from "./run-result.ts";

export interface SettledTimes {
  readonly cpu: string;
  readonly task: string;
  readonly target: TargetName;
  readonly finishedAt: string;
  /** Times at which the runs finished whose candidates were measured. They identify the runs. */
  readonly runs: readonly string[];
  /** By `keyOf`: the 10 % quantile of its samples, in nanoseconds. */
  readonly times: Readonly<Record<string, number>>;
  /** Time of the predicted schedule. */
  readonly predictedNs: number;
  /** Noise of the times near the best: `noiseOf`. */
  readonly noise: number;
}

export const keyOf = (candidate: Candidate): string => sha256(candidateKey(candidate)).slice(0, 12);

export function readSettled(path: string, cpu: string): readonly SettledTimes[] {
  const own = readLines<SettledTimes>(path).filter((settled) => settled.cpu === cpu);
  return [...new Map(own.map((settled) => [`${settled.task} ${settled.target}`, settled])).values()];
}

export const appendSettled = (path: string, settled: SettledTimes): void => appendLine(path, settled);

/** Slower ones, as the searches saw them, are in no figure: a run of them may take seconds. */
const slowest = 4;

/** Candidates of runs of one task on one target: each run's improvements and its final choice, each candidate once. */
export function candidatesOf(runs: readonly RunResult[]): readonly Candidate[] {
  const all = runs.flatMap(({ improvements }) => improvements);
  const limit = slowest * Math.min(...all.map(({ ns }) => ns));
  const found = all.filter(({ ns }) => ns <= limit).map(({ candidate }) => candidate);
  const chosen = runs.flatMap(({ winner }) => (winner ? [winner] : []));
  return [...new Map([...found, ...chosen].map((candidate) => [keyOf(candidate), candidate])).values()];
}

export const isSettled = ({ finishedAt }: RunResult, settled: SettledTimes | null): boolean =>
  settled?.runs.includes(finishedAt) === true;

/** The median of how far two settlings with half of the samples each lie apart, as a share. */
export function noiseOf(samples: readonly (readonly number[])[], settledQuantile: number): number {
  const half = (times: readonly number[], first: number): number =>
    quantile(
      times.filter((_, round) => round % 2 === first),
      settledQuantile,
    );
  const ratios = samples.map((times) => half(times, 0) / half(times, 1));
  return ratios.length > 0 ? median(ratios.map((ratio) => Math.max(ratio, 1 / ratio))) - 1 : 0;
}
