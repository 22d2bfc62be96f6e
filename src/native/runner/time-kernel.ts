// How long a kernel is timed: contenders get several samples, clear losers one.

import type { LoadedKernel } from "../harness/bench-wasm.ts";
import type { CacheState, TimingPlan } from "./protocol.ts";

/**
 * A candidate is given up when its best time is this many times the incumbent's: after the check run, after the first
 * sample, after the second and later ones. The check run is cold and may be half as slow again for that alone.
 */
const givenUpAt = [1.6, 1.35, 1.2] as const;

/** Of a run this long little is cold: it is given up sooner. */
const longRunNs = 2e6;
const longRunGivenUpAt = 1.25;

/** Drives all out of the caches. Its time is not the kernel's. */
export type Flush = () => void;

/** Runs in one sample, at most: bounds a batch of kernels that take no time at all. */
const maxRuns = 1e6;

/**
 * Times a kernel whose check run took `firstNs`. The samples are means over batches of `plan.sampleNs`; the check run
 * is the only sample of a candidate that it shows to be a loser, or that leaves no time for more.
 */
export function timeKernel(kernel: LoadedKernel, firstNs: number, plan: TimingPlan, flush: Flush): number[] {
  const factor = firstNs >= longRunNs ? longRunGivenUpAt : givenUpAt[0];
  const coldLoser = firstNs >= plan.sampleNs && isSlower(firstNs, factor, plan);
  if (coldLoser || firstNs > plan.budgetNs) return [firstNs];
  const isCold = plan.cache === "cold";
  let runs = isCold ? 1 : runsFor(firstNs, plan.sampleNs);
  let spentNs = firstNs;
  const samples: number[] = [];
  while (samples.length < plan.samples && (samples.length === 0 || spentNs < plan.budgetNs)) {
    if (isCold) flush();
    const batchNs = kernel.time(runs);
    spentNs += batchNs;
    const wanted = !isCold && batchNs < plan.sampleNs / 2 ? runsFor(batchNs / runs, plan.sampleNs) : runs;
    if (wanted > runs) runs = wanted;
    else samples.push(batchNs / runs);
    if (isLoser(Math.min(...samples), samples.length, plan)) break;
  }
  return samples;
}

/** Of the runs of a sample, untimed ones before it: others ran meanwhile, and had the caches and the branch predictor. */
const warmingShare = 1 / 8;

/** One more sample of a kernel that was timed before. */
export function timeSample(
  kernel: LoadedKernel,
  estimateNs: number,
  sampleNs: number,
  cache: CacheState,
  flush: Flush,
): number {
  if (cache === "cold") {
    flush();
    return kernel.time(1);
  }
  const runs = runsFor(estimateNs, sampleNs);
  if (estimateNs < longRunNs) kernel.time(Math.ceil(runs * warmingShare));
  return kernel.time(runs) / runs;
}

const isLoser = (bestNs: number, samples: number, plan: TimingPlan): boolean =>
  Number.isFinite(bestNs) && isSlower(bestNs, givenUpAt[Math.min(samples, 2)]!, plan);

const isSlower = (ns: number, factor: number, { incumbentNs }: TimingPlan): boolean =>
  incumbentNs !== null && ns > incumbentNs * factor;

const runsFor = (runNs: number, sampleNs: number): number =>
  Math.min(maxRuns, Math.max(1, Math.ceil(sampleNs / Math.max(runNs, 1))));
