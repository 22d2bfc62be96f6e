// Whether the machine was the same in all runs: each has timed a fixed schedule of its task before and after. Times are not
// divided by the sentinel's: its own error of some percent is as large as the differences that are looked for. A run whose
// sentinel is off is named, left out of all figures, and done once more with --again.

import { median } from "../../../src/tuner/measure/statistics.ts";
import type { RunResult } from "./run-result.ts";

/** Of the median over all runs with this sentinel. */
export const allowedDrift = 0.1;

/** The larger of what the sentinel was off before and after, as a share: 0.2 is a fifth slower, -0.1 a tenth faster. */
export function driftOf(run: RunResult, results: readonly RunResult[]): number {
  const usual = median(results.filter((other) => isAlike(other, run)).flatMap(timesOf));
  return timesOf(run)
    .map((ns) => ns / usual - 1)
    .reduce((worst, drift) => (Math.abs(drift) > Math.abs(worst) ? drift : worst));
}

export const unsteadyRuns = (results: readonly RunResult[]): readonly RunResult[] =>
  results.filter((run) => Math.abs(driftOf(run, results)) > allowedDrift);

const timesOf = ({ sentinel }: RunResult): readonly number[] => [sentinel.beforeNs, sentinel.afterNs];

const isAlike = (a: RunResult, b: RunResult): boolean =>
  a.cpu === b.cpu && a.task === b.task && a.target === b.target && a.sentinel.digest === b.sentinel.digest;
