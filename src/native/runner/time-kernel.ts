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

/** Runs in one sample, at most: bounds a batch of kernels that take no time at all. */
const maxRuns = 1e6;

/** What else there is in the measuring process. */
export interface Surroundings {
  /** Drives all out of the caches. Its time is not the kernel's. */
  readonly flush: () => void;
  /** Whether the core is ours alone just now. */
  readonly isCalm: () => boolean;
  /** The fastest kernel of the task so far that was timed while the core was ours, and what a run of it takes then. */
  readonly yardstick: Yardstick | null;
}

export interface Yardstick {
  readonly kernel: LoadedKernel;
  readonly ns: number;
}

/**
 * Times a kernel whose check run took `firstNs`. The samples are means over batches of `plan.sampleNs`; the check run
 * is the only sample of a candidate that it shows to be a loser, or that leaves no time for more.
 */
export function timeKernel(kernel: LoadedKernel, firstNs: number, plan: TimingPlan, around: Surroundings): Samples {
  return plan.cache === "cold" ? timeCold(kernel, firstNs, plan, around) : timeHot(kernel, firstNs, plan, around);
}

function timeCold(kernel: LoadedKernel, firstNs: number, plan: TimingPlan, { flush }: Surroundings): Samples {
  const samples: Sample[] = [];
  let spentNs = firstNs;
  if (isColdLoser(firstNs, firstNs, plan)) return samplesOf([coldSample(firstNs)]);
  while (samples.length < plan.samples && (samples.length === 0 || spentNs < plan.budgetNs)) {
    flush();
    const ns = kernel.time(1);
    spentNs += ns;
    samples.push(coldSample(ns));
    if (isLoser(samples, plan)) break;
  }
  return samplesOf(samples);
}

const coldSample = (ns: number): Sample => ({ ns, clockNs: ns, isCalm: true });

/**
 * So many times as many samples, in so many times as much time, where the yardstick has to tell: it errs to both sides, and
 * the outer ones are dropped.
 */
const disturbedFactor = 2;

/** Probes for one candidate, until the core is ours: some 10 ms. */
const patience = 200;

/** More samples for one that is the best by the yardstick's word alone. */
const moreForHopeful = 6;

function timeHot(kernel: LoadedKernel, firstNs: number, plan: TimingPlan, around: Surroundings): Samples {
  const now = momentOf(around, plan.sampleNs);
  const first = undisturbed(firstNs, now, now);
  if (isColdLoser(firstNs, first.ns, plan)) return samplesOf([first]);
  let runs = runsFor(firstNs, plan.sampleNs);
  let spentNs = firstNs;
  let unclear = 0;
  let probes = patience;
  let more = moreForHopeful;
  const samples: Sample[] = [];
  const isEnough = (): boolean => {
    const factor = samples.every(({ isCalm }) => isCalm) ? 1 : disturbedFactor;
    return samples.length >= plan.samples * factor || (samples.length > 0 && spentNs >= plan.budgetNs * factor);
  };
  while (!isEnough() || (isHopeful(samples, plan) && more-- > 0)) {
    probes -= probesUntilCalm(around.isCalm, probes);
    const before = momentOf(around, plan.sampleNs);
    const batchNs = kernel.time(runs);
    spentNs += batchNs;
    const wanted = batchNs < plan.sampleNs / 2 ? runsFor(batchNs / runs, plan.sampleNs) : runs;
    const after = momentOf(around, plan.sampleNs);
    // How much of the core was ours changed meanwhile: nobody knows how much of the time was whose.
    const isUnclear = isChange(before, after) && ++unclear <= plan.samples;
    if (wanted > runs) runs = wanted;
    else if (!isUnclear) samples.push(undisturbed(batchNs / runs, before, after));
    if (isLoser(samples, plan)) break;
  }
  return samplesOf(credible(samples, plan));
}

/** Faster than the best, and never was by the clock. */
function isHopeful(samples: readonly Sample[], { incumbentNs }: TimingPlan): boolean {
  if (incumbentNs === null) return false;
  const faster = samples.filter(({ ns }) => ns < incumbentNs);
  return 2 * faster.length > samples.length && samples.every(({ clockNs }) => clockNs >= incumbentNs);
}

/**
 * A neighbour only ever adds to a time, and the yardstick suffers more from it than kernels that wait for memory do: they
 * look up to 1.6 times as fast as they are. So nobody becomes the best, or better than the clock ever said, on its word.
 */
function credible(samples: readonly Sample[], { incumbentNs, samples: wanted }: TimingPlan): readonly Sample[] {
  const leastNs = Math.min(incumbentNs ?? Number.POSITIVE_INFINITY, ...samples.map(({ clockNs }) => clockNs));
  return middleOf(samples, wanted).map((sample) => ({ ...sample, ns: Math.max(leastNs, sample.ns) }));
}

/** Without the least and the greatest of more than are wanted, in the order taken. */
function middleOf(samples: readonly Sample[], wanted: number): readonly Sample[] {
  const surplus = Math.max(0, samples.length - wanted);
  const sorted = samples.toSorted((left, right) => left.ns - right.ns);
  const outer = new Set([
    ...sorted.slice(0, Math.floor(surplus / 2)),
    ...sorted.slice(sorted.length - Math.ceil(surplus / 2)),
  ]);
  return samples.filter((sample) => !outer.has(sample));
}

/** Times of one run. */
export interface Samples {
  /** In the order taken; at least one. */
  readonly samplesNs: readonly number[];
  /** Those taken while the core was ours. */
  readonly calmNs: readonly number[];
}

interface Sample {
  /** Of the core alone, as far as that is known. */
  readonly ns: number;
  readonly clockNs: number;
  readonly isCalm: boolean;
}

const samplesOf = (samples: readonly Sample[]): Samples => ({
  samplesNs: samples.map(({ ns }) => ns),
  calmNs: samples.filter(({ isCalm }) => isCalm).map(({ ns }) => ns),
});

/** How much of the core is ours. */
interface Moment {
  readonly isCalm: boolean;
  /** How many times longer the yardstick takes than on a calm core; 1 where there is none. */
  readonly slowdown: number;
}

/** A run that is longer sees calm and disturbed times alike, and one more would cost as much as the candidate. */
const mixedRunNs = 30e6;

function momentOf({ isCalm, yardstick }: Surroundings, sampleNs: number): Moment {
  if (isCalm()) return { isCalm: true, slowdown: 1 };
  if (yardstick === null || yardstick.ns > mixedRunNs) return { isCalm: false, slowdown: 1 };
  const runs = runsFor(yardstick.ns, sampleNs);
  return { isCalm: false, slowdown: Math.max(1, yardstick.kernel.time(runs) / runs / yardstick.ns) };
}

/** Slowdowns that differ by more are of two moments. */
const sameMoment = 1.1;

const isChange = (before: Moment, after: Moment): boolean =>
  Math.max(before.slowdown, after.slowdown) > sameMoment * Math.min(before.slowdown, after.slowdown);

/**
 * What a run that took `ns` between two moments takes when the core is ours. The yardstick tells how much longer everything
 * took: kernels of one operator want the same of a core. The lesser of the slowdowns counts.
 */
const undisturbed = (ns: number, before: Moment, after: Moment): Sample => ({
  ns: ns / Math.min(before.slowdown, after.slowdown),
  clockNs: ns,
  isCalm: before.isCalm && after.isCalm,
});

/** Of the runs of a sample, untimed ones before it: others ran meanwhile, and had the caches and the branch predictor. */
const warmingShare = 1 / 8;

/** A sample that was disturbed is taken again; the least of so many counts. */
const mostTries = 3;

/** Probes before each of them until the core is ours: some 5 ms at most. */
const mostProbes = 100;

/**
 * One more sample of a kernel that was timed before, for a race: it takes the time to find the core calm, which a search
 * of hundreds of candidates has not.
 */
export function timeSample(
  kernel: LoadedKernel,
  estimateNs: number,
  sampleNs: number,
  cache: CacheState,
  { flush, isCalm }: Pick<Surroundings, "flush" | "isCalm">,
): number {
  if (cache === "cold") {
    flush();
    return kernel.time(1);
  }
  const runs = runsFor(estimateNs, sampleNs);
  let leastNs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < mostTries; tries++) {
    const wasCalm = probesUntilCalm(isCalm, mostProbes) < mostProbes;
    if (estimateNs < longRunNs) kernel.time(Math.ceil(runs * warmingShare));
    leastNs = Math.min(leastNs, kernel.time(runs) / runs);
    if (estimateNs > mixedRunNs || (isCalm() && wasCalm)) break;
  }
  return leastNs;
}

/** How many found it disturbed; at most `most`. */
function probesUntilCalm(isCalm: () => boolean, most: number): number {
  for (let probes = 0; probes < most; probes++) if (isCalm()) return probes;
  return Math.max(0, most);
}

/** Already the check run is clearly too slow, or leaves no time for more. */
function isColdLoser(firstNs: number, ownNs: number, plan: TimingPlan): boolean {
  const factor = firstNs >= longRunNs ? longRunGivenUpAt : givenUpAt[0];
  return (firstNs >= plan.sampleNs && isSlower(ownNs, factor, plan)) || firstNs > plan.budgetNs;
}

const isLoser = (samples: readonly Sample[], plan: TimingPlan): boolean =>
  samples.length > 0 &&
  isSlower(Math.min(...samples.map(({ ns }) => ns)), givenUpAt[Math.min(samples.length, 2)]!, plan);

const isSlower = (ns: number, factor: number, { incumbentNs }: TimingPlan): boolean =>
  incumbentNs !== null && ns > incumbentNs * factor;

const runsFor = (runNs: number, sampleNs: number): number =>
  Math.min(maxRuns, Math.max(1, Math.ceil(sampleNs / Math.max(runNs, 1))));
