// How long a kernel is timed: contenders get several samples, clear losers one.

import type { LoadedKernel } from "../harness/bench-wasm.ts";
import { type Core, probesUntilCalm } from "../harness/probe.ts";
import type { CacheState, TimingPlan } from "./protocol.ts";
import { runsFor } from "./runs-for.ts";
import { credible, momentOf, plainSample, type Sample, undisturbed } from "./sample.ts";
import { longestYardstickNs, type Yardstick } from "./yardstick.ts";

/** A candidate is given up when its best time is this many times the incumbent's: after the first sample, after later ones. */
const givenUpAt = [1.35, 1.2] as const;

/**
 * The check run is cold: code and memory are touched for the first time, which takes so much longer. Beyond that and this
 * many times the incumbent's time, it shows a loser.
 */
const coldNs = 1.5e6;
const checkGivenUpAt = { calm: 1.25, disturbed: 1.4 } as const;

/** Of a run this long little is cold: the check run is a sample like others, and is allowed no more than they are. */
const longRunNs = 4e6;

/** Within a run that is longer bursts of others come and go: nothing is won by a calm beginning. */
const longestAwaitedNs = 2e6;

/** What else there is in the measuring process. */
export interface Surroundings {
  /** Drives all out of the caches. Its time is not the kernel's. */
  readonly flush: () => void;
  readonly core: Core;
  /** Of the task; about its fastest kernel so far. */
  readonly yardstick: Yardstick | null;
}

/**
 * Times a kernel whose check run took `firstNs`. The samples are means over batches of `plan.sampleNs`; the check run
 * is the only sample of a candidate that it shows to be a loser, or that leaves no time for more. Times of one run, in the
 * order taken; at least one.
 */
export function timeKernel(
  kernel: LoadedKernel,
  firstNs: number,
  plan: TimingPlan,
  around: Surroundings,
): readonly number[] {
  return plan.cache === "cold" ? timeCold(kernel, firstNs, plan, around) : timeHot(kernel, firstNs, plan, around);
}

function timeCold(kernel: LoadedKernel, firstNs: number, plan: TimingPlan, { flush }: Surroundings): readonly number[] {
  const samples: Sample[] = [];
  let spentNs = firstNs;
  if (isColdLoser(firstNs, plainSample(firstNs), plan)) return [firstNs];
  while (samples.length < plan.samples && (samples.length === 0 || spentNs < plan.budgetNs)) {
    flush();
    const ns = kernel.time(1);
    spentNs += ns;
    samples.push(plainSample(ns));
    if (isLoser(samples, plan)) break;
  }
  return samples.map(({ ns }) => ns);
}

/** So many times as many samples are wanted where the yardstick has to tell, and so many in any case: it errs to both sides. */
const disturbedFactor = 2;
const leastDisturbed = 2;

/** Probes for one candidate, until the core is ours: some 10 ms. */
const patience = 200;

/** So many times as much time for one that is the best by the yardstick's word alone. */
const hopefulFactor = 3;

function timeHot(
  kernel: LoadedKernel,
  firstNs: number,
  plan: TimingPlan,
  { core, yardstick }: Surroundings,
): readonly number[] {
  const isLong = firstNs >= longRunNs;
  let before = momentOf(core, yardstick);
  const first = undisturbed(firstNs, before, before);
  if (isColdLoser(firstNs, first, plan)) return [first.ns];
  const samples: Sample[] = isLong ? [first] : [];
  let runs = runsFor(firstNs, plan.sampleNs);
  let spentNs = firstNs;
  let probes = patience;
  while (!isEnough(samples, spentNs, plan) || (isHopeful(samples, plan) && spentNs < plan.budgetNs * hopefulFactor)) {
    if (firstNs <= longestAwaitedNs) {
      probes -= probesUntilCalm(core, probes);
      before = momentOf(core, yardstick);
    }
    const batchNs = kernel.time(runs);
    const after = momentOf(core, yardstick);
    spentNs += batchNs;
    const wanted = batchNs < plan.sampleNs / 2 ? runsFor(batchNs / runs, plan.sampleNs) : runs;
    if (wanted > runs) runs = wanted;
    else samples.push(undisturbed(batchNs / runs, before, after));
    if (isLoser(samples, plan)) break;
    before = after;
  }
  return credible(samples, plan.samples, plan.incumbentNs);
}

function isEnough(samples: readonly Sample[], spentNs: number, plan: TimingPlan): boolean {
  const isCalm = samples.every((sample) => sample.isCalm);
  if (samples.length >= plan.samples * (isCalm ? 1 : disturbedFactor)) return true;
  return samples.length >= (isCalm ? 1 : leastDisturbed) && spentNs >= plan.budgetNs;
}

/** Faster than the best, and never was by the clock. */
function isHopeful(samples: readonly Sample[], { incumbentNs }: TimingPlan): boolean {
  if (incumbentNs === null) return false;
  const faster = samples.filter(({ ns }) => ns < incumbentNs);
  return 2 * faster.length > samples.length && samples.every(({ clockNs }) => clockNs >= incumbentNs);
}

/**
 * Of the runs of a sample, untimed ones before it: others ran meanwhile, and had the caches and the branch predictor. To a
 * long run that makes no difference.
 */
const warmingShare = 1 / 8;
const longestWarmedNs = 2e6;

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
  { flush, core }: Pick<Surroundings, "flush" | "core">,
): number {
  if (cache === "cold") {
    flush();
    return kernel.time(1);
  }
  const runs = runsFor(estimateNs, sampleNs);
  let leastNs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < mostTries; tries++) {
    const wasCalm = probesUntilCalm(core, mostProbes) < mostProbes;
    if (estimateNs < longestWarmedNs) kernel.time(Math.ceil(runs * warmingShare));
    leastNs = Math.min(leastNs, kernel.time(runs) / runs);
    if (estimateNs > longestYardstickNs || (core.isCalm() && wasCalm)) break;
  }
  return leastNs;
}

/** Already the check run is clearly too slow, or leaves no time for more. */
function isColdLoser(firstNs: number, { ns, isCalm }: Sample, plan: TimingPlan): boolean {
  const mostNs = isCalm ? plan.budgetNs : Math.max(plan.budgetNs, longestYardstickNs);
  const allowedNs = firstNs < longRunNs ? coldNs : 0;
  return isSlower(ns - allowedNs, checkGivenUpAt[isCalm ? "calm" : "disturbed"], plan) || firstNs > mostNs;
}

const isLoser = (samples: readonly Sample[], plan: TimingPlan): boolean =>
  samples.length > 0 &&
  isSlower(Math.min(...samples.map(({ ns }) => ns)), givenUpAt[Math.min(samples.length, givenUpAt.length) - 1]!, plan);

const isSlower = (ns: number, factor: number, { incumbentNs }: TimingPlan): boolean =>
  incumbentNs !== null && ns > incumbentNs * factor;
