// Decides how long a kernel is timed: contenders get several samples, clear losers one.

import { type Core, probesUntilCalm } from "../harness/probe.ts";
import type { TimedKernel } from "./bench-wasm.ts";
import type { DeviceKernel } from "./loader.ts";
import type { CacheState, TimingPlan } from "./protocol.ts";
import { runsFor } from "./runs-for.ts";
import { awaited, type Steps } from "./steps.ts";
import { startVisit, type Visit } from "./visit.ts";
import { longestYardstickNs, type Yardstick } from "./yardstick.ts";

/**
 * A candidate is given up when its best time exceeds the incumbent's by this factor: after the first sample, after later
 * ones.
 */
const givenUpAt = [1.35, 1.2] as const;

/**
 * Nanoseconds that a check run may lose to cold code and memory. A check run that exceeds the incumbent's time by more than
 * this and by the factor below shows a loser.
 */
const coldNs = 1.5e6;
const checkGivenUpAt = { calm: 1.25, disturbed: 1.4 } as const;

/**
 * A check run longer than this, in nanoseconds, is not dominated by cold caches: it counts as an ordinary sample, with no
 * allowance.
 */
const longRunNs = 4e6;

/**
 * Runs longer than this, in nanoseconds, outlast the bursts of others: waiting for a calm core or warming up gains nothing.
 */
const longestAwaitedNs = 2e6;

/** Means of the measuring process to judge and prepare the core. */
export interface TimingSurroundings {
  /** Empties the caches. Its time is not the kernel's. */
  readonly flush: () => void;
  readonly core: Core;
  /** Yardstick of the task: about its fastest kernel so far. */
  readonly yardstick: Yardstick | null;
}

/**
 * Times a kernel whose check run took `firstNs`. The samples are means over batches of `plan.sampleNs`. The check run is
 * the only sample where it shows a loser, or leaves no time for more. Returns times of one run in nanoseconds, in the
 * order taken; at least one.
 */
export function timeKernel(
  kernel: TimedKernel,
  firstNs: number,
  plan: TimingPlan,
  around: TimingSurroundings,
): readonly number[] {
  return plan.cache === "cold" ? timeCold(kernel, firstNs, plan, around) : timeHot(kernel, firstNs, plan, around);
}

function timeCold(
  kernel: TimedKernel,
  firstNs: number,
  plan: TimingPlan,
  { flush }: TimingSurroundings,
): readonly number[] {
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

/**
 * Times a kernel on the clock of its device, which nothing on this machine disturbs. One whose clock is exact needs no second run. A sample
 * is a single run where caches are to be cold: whether they are is the device's business.
 */
export function* timeOnDevice(kernel: DeviceKernel, firstNs: number, plan: TimingPlan): Steps<readonly number[]> {
  if (kernel.isExact) return [firstNs];
  const runs = plan.cache === "cold" ? 1 : runsFor(firstNs, plan.sampleNs);
  const samplesNs: number[] = [];
  let spentNs = firstNs;
  while (samplesNs.length < plan.samples && (samplesNs.length === 0 || spentNs < plan.budgetNs)) {
    const batchNs = yield* awaited(kernel.time(runs));
    spentNs += batchNs;
    samplesNs.push(batchNs / runs);
    if (isLoser(samplesNs, plan) || agree(samplesNs, plan.agreement)) break;
  }
  return samplesNs;
}

/**
 * Returns the least number of samples: two where the core is disturbed, but one for long runs, which see calm and disturbed
 * times.
 */
const leastSamples = (leastNs: number, isCalm: boolean): number => (isCalm || leastNs > longestYardstickNs ? 1 : 2);

/** Probes for one candidate, until the core is ours: some 10 ms. */
const patience = 200;

/** A candidate that only the yardstick's correction makes the best gets this many times the samples, and the time. */
const hopefulFactor = 3;

function timeHot(
  kernel: TimedKernel,
  firstNs: number,
  plan: TimingPlan,
  { core, yardstick }: TimingSurroundings,
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

/** Says whether the two least samples agree. Other processes delay each sample by another share, so two equal samples were not delayed. */
function agree(clockNs: readonly number[], share: number): boolean {
  const [least, second] = clockNs.toSorted((left, right) => left - right);
  return second !== undefined && second < least! * (1 + share);
}

/** Says whether the corrected time beats the incumbent though no raw sample has. */
function isHopeful(clockNs: readonly number[], { told }: Visit, { incumbentNs }: TimingPlan): boolean {
  const leastNs = Math.min(...clockNs);
  return incumbentNs !== null && clockNs.length > 0 && leastNs >= incumbentNs && told(leastNs) < incumbentNs;
}

/**
 * Untimed runs before a sample, as a share of its runs: others ran meanwhile, and had the caches and the branch predictor.
 * A long run does not need them.
 */
const warmingShare = 1 / 8;

/** Most tries of a sample that was disturbed; the least of them counts. Long ones are hardly ever undisturbed. */
const mostTries = { short: 3, long: 2 } as const;

/** Most probes before each try of a short sample, waiting for a calm core: some 5 ms. */
const mostProbes = 100;

/**
 * Takes one more sample of a kernel that was timed before, for a race. It waits for a calm core, for which a search of
 * hundreds of candidates has no time.
 */
export function timeSample(
  kernel: TimedKernel,
  estimateNs: number,
  sampleNs: number,
  cache: CacheState,
  { flush, core }: Pick<TimingSurroundings, "flush" | "core">,
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

/** Says whether the check run alone shows a kernel that is clearly too slow, or leaves no time for another run. */
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
