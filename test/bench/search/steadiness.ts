// Whether the machine was the same in all runs: each has timed a fixed schedule of its task before and after, the sentinel,
// and the fastest that it found once more. Times are not divided by the sentinel's: its own error of some percent is as large as
// the differences that are looked for. A run that is off is named, left out of all figures, and done once more with --again.

import { median } from "../../../src/tuner/measure/statistics.ts";
import type { RunResult } from "./run-result.ts";

/**
 * The largest of what the sentinel was off before and after, and what the fastest was off at its second time, as a share: 0.2
 * is a fifth slower, -0.1 a tenth faster. The fastest of many was lucky by some percent, in a calm moment by any amount.
 */
export function driftOf(run: RunResult, results: readonly RunResult[]): number {
  const usual = median(results.filter((other) => isAlike(other, run)).flatMap(timesOf));
  const best = run.best?.againNs ? [run.best.againNs / run.best.ns] : [];
  return [...timesOf(run).map((ns) => ns / usual), ...best]
    .map((ratio) => ratio - 1)
    .reduce((worst, drift) => (Math.abs(drift) > Math.abs(worst) ? drift : worst));
}

/** @param allowed share of the median over all runs with the same sentinel */
export const unsteadyRuns = (results: readonly RunResult[], allowed: number): readonly RunResult[] =>
  results.filter((run) => Math.abs(driftOf(run, results)) > allowed);

const timesOf = ({ sentinel }: RunResult): readonly number[] => [sentinel.beforeNs, sentinel.afterNs];

const isAlike = (a: RunResult, b: RunResult): boolean =>
  a.cpu === b.cpu && a.task === b.task && a.target === b.target && a.sentinel.digest === b.sentinel.digest;
