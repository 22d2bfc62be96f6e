// How long a kernel is timed: contenders get several samples, clear losers one.

import type { LoadedKernel } from "../harness/bench-wasm.ts";
import { type Core, probesUntilCalm } from "../harness/probe.ts";
import type { CacheState, TimingPlan } from "./protocol.ts";
import { runsFor } from "./runs-for.ts";
import { startVisit, type Visit } from "./visit.ts";
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

/** Within a run that is longer bursts of others come and go: nothing is won by a calm beginning, or by one that is warm. */
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
  const samplesNs: number[] = [];
  let spentNs = firstNs;
  if (isColdLoser(firstNs, { told: (ns) => ns, isCalm: () => true }, plan)) return [firstNs];
  while (samplesNs.length < plan.samples && (samplesNs.length === 0 || spentNs < plan.budgetNs)) {
    flush();
    const ns = kernel.time(1);
    spentNs += ns;
    samplesNs.push(ns);
    if (isLoser(samplesNs, plan)) break;
  }
  return samplesNs;
}

/** Where the core is disturbed, so many samples in any case: but a long run has seen calm and disturbed times. */
const leastSamples = (leastNs: number, isCalm: boolean): number => (isCalm || leastNs > longestYardstickNs ? 1 : 2);

/** Probes for one candidate, until the core is ours: some 10 ms. */
const patience = 200;

/** So many times as many samples, and as much time, for one that is the best by the yardstick's word alone. */
const hopefulFactor = 3;

function timeHot(
  kernel: LoadedKernel,
  firstNs: number,
  plan: TimingPlan,
  { core, yardstick }: Surroundings,
): readonly number[] {
  const visit = startVisit(core, yardstick);
  visit.look();
  if (isColdLoser(firstNs, visit, plan)) return visit.undisturbed([firstNs], plan.incumbentNs);
  const clockNs: number[] = firstNs >= longRunNs ? [firstNs] : [];
  let runs = runsFor(firstNs, plan.sampleNs);
  let spentNs = firstNs;
  let probes = patience;
  while (!isEnough(clockNs, spentNs, visit, plan)) {
    if (firstNs <= longestAwaitedNs) probes -= probesUntilCalm(core, probes);
    const batchNs = kernel.time(runs);
    visit.look();
    spentNs += batchNs;
    const wanted = batchNs < plan.sampleNs / 2 ? runsFor(batchNs / runs, plan.sampleNs) : runs;
    if (wanted > runs) runs = wanted;
    else clockNs.push(batchNs / runs);
    if (isLoser(clockNs.map(visit.told), plan)) break;
  }
  return visit.undisturbed(clockNs, plan.incumbentNs);
}

function isEnough(clockNs: readonly number[], spentNs: number, visit: Visit, plan: TimingPlan): boolean {
  const isHope = isHopeful(clockNs, visit, plan);
  const factor = isHope ? hopefulFactor : 1;
  if (clockNs.length >= plan.samples * factor) return true;
  const least = leastSamples(Math.min(...clockNs), visit.isCalm());
  if (clockNs.length >= least && spentNs >= plan.budgetNs * factor) return true;
  return !isHope && agree(clockNs, plan.agreement);
}

/** Bursts of others only add to a time, each another share of it: two least samples that are equal had none. */
function agree(clockNs: readonly number[], share: number): boolean {
  const [least, second] = clockNs.toSorted((left, right) => left - right);
  return second !== undefined && second < least! * (1 + share);
}

/** Faster than the best, and never was by the clock. */
function isHopeful(clockNs: readonly number[], { told }: Visit, { incumbentNs }: TimingPlan): boolean {
  const leastNs = Math.min(...clockNs);
  return incumbentNs !== null && clockNs.length > 0 && leastNs >= incumbentNs && told(leastNs) < incumbentNs;
}

/**
 * Of the runs of a sample, untimed ones before it: others ran meanwhile, and had the caches and the branch predictor. To a
 * long run that makes no difference.
 */
const warmingShare = 1 / 8;

/** A sample that was disturbed is taken again; the least of so many counts. Long ones are hardly ever undisturbed. */
const mostTries = { short: 3, long: 2 } as const;

/** Probes before each try of a short one until the core is ours: some 5 ms at most. */
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
  const isShort = estimateNs <= longestAwaitedNs;
  const probes = isShort ? mostProbes : 1;
  let leastNs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < mostTries[isShort ? "short" : "long"]; tries++) {
    const wasCalm = probesUntilCalm(core, probes) < probes;
    if (isShort) kernel.time(Math.ceil(runs * warmingShare));
    leastNs = Math.min(leastNs, kernel.time(runs) / runs);
    if (estimateNs > longestYardstickNs || (core.isCalm() && wasCalm)) break;
  }
  return leastNs;
}

/** Already the check run is clearly too slow, or leaves no time for more. */
function isColdLoser(firstNs: number, { told, isCalm }: Pick<Visit, "told" | "isCalm">, plan: TimingPlan): boolean {
  const mostNs = isCalm() ? plan.budgetNs : Math.max(plan.budgetNs, longestYardstickNs);
  const allowedNs = firstNs < longRunNs ? coldNs : 0;
  return isSlower(told(firstNs) - allowedNs, checkGivenUpAt[isCalm() ? "calm" : "disturbed"], plan) || firstNs > mostNs;
}

const isLoser = (samplesNs: readonly number[], plan: TimingPlan): boolean =>
  samplesNs.length > 0 &&
  isSlower(Math.min(...samplesNs), givenUpAt[Math.min(samplesNs.length, givenUpAt.length) - 1]!, plan);

const isSlower = (ns: number, factor: number, { incumbentNs }: TimingPlan): boolean =>
  incumbentNs !== null && ns > incumbentNs * factor;
