// Chooses the schedule of a kernel: the lock's, the store's, a freshly tuned one, or the predicted one, by the mode.

import { isForVisitors, needsToolchain, refuse } from "../../../compiler/index.ts";
import { ownCompiler } from "../../../native/backend/own-compiler.ts";
import { whyNotMeasuredHere } from "../../../native/machine/machine.ts";
import type { LockEntry } from "../../../tuner/lock/lock-entry.ts";
import type { BackgroundTuner } from "../compile-services.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { whyNotRun } from "../context/why-not-run.ts";
import type { KernelDecision } from "../decision.ts";
import { askLock, type LockAnswer, type LockMiss } from "../lock/ask-lock.ts";
import { wasmTask } from "../schedule.ts";
import { predictSchedule } from "../source/predict-schedule.ts";
import { checkLimits } from "./check-limits.ts";
import { found, fromEntry } from "./found.ts";
import { keep, lockDecision } from "./keep.ts";
import { fromStore, interim, predicted, unmeasured } from "./known-schedule.ts";
import { fromForeign, fromOthersUnmeasured, fromPacks, fromRemote, fromSigned, offer } from "./outside.ts";
import { tuneOnce } from "./tune-once.ts";

/**
 * @throws DiagnosticError `frozen.miss`, `lock.broken`, `lock.version`, `space.empty`, `trust.refused`, `tune.nothing-ran`, and
 *   those of `checkLimits`
 */
export async function decideSchedule(context: KernelContext): Promise<KernelDecision> {
  const { mode } = context.request;
  checkLimits(context);
  if (context.whyNotComputed !== null) return decideTwin(context, context.whyNotComputed);
  const answer = await askLock(context);
  if (mode === "again" || mode === "update") return decideAgain(context, answer);
  if (answer.kind !== "hit") return decideMissed(context, answer);
  await requireTrust(context, answer.entry);
  return fromEntry(context, answer.entry);
}

/**
 * Decides for the WASM twin alone, of an operator that no kernel of the target computes.
 *
 * @throws DiagnosticError `backend.cannot`: there is to be no twin
 */
async function decideTwin(context: KernelContext, why: string): Promise<KernelDecision> {
  const { task, request, services, lockName } = context;
  if (request.fallback === "none") throw refuse("backend.cannot", `${lockName}: ${why}`, "leave out fallback=none");
  services.log.warn(`${lockName}: ${why}; the WASM twin runs instead`);
  return found("predicted", await predictSchedule(context, wasmTask(task)), null);
}

/** Decides a kernel that the lock does not decide. */
async function decideMissed(context: KernelContext, miss: LockMiss): Promise<KernelDecision> {
  const { mode } = context.request;
  if (mode === "frozen") return decideFrozen(context, miss);
  if (miss.entry) (await import("../lock/lock-miss.ts")).tellOfOlder(context, miss);
  const stored = await fromStore(context);
  if (stored) return lockDecision(context, stored);
  if (mode === "interim") return interim(context);
  if (mode === "predict") return unmeasured(context, miss);
  const why = await whyNotMeasured(context);
  if (why !== null) return (await fromSigned(context)) ?? decideUnmeasured(context, miss, why);
  if (context.services.background) return tunedElsewhere(context, context.services.background);
  const outside = (await fromForeign(context)) ?? (await fromPacks(context)) ?? (await fromRemote(context));
  return keep(context, outside ?? (await offer(context, await tuneOnce(context))));
}

/** Decides a kernel that this machine cannot measure. What others have tuned goes into the lock without a time. */
async function decideUnmeasured(context: KernelContext, miss: LockMiss, why: string): Promise<KernelDecision> {
  const others = await fromOthersUnmeasured(context);
  if (!others) return unmeasured(context, miss, why);
  const { lockName, services } = context;
  const checked = (await whyNotRun(context)) === null ? "run here and not measured" : "built here and not run";
  services.log.info(`${lockName}: ${why}; it gets the decision of ${placeOf(others)}, which was ${checked}`);
  return lockDecision(context, others);
}

const placeOf = ({ origin }: KernelDecision): string => (origin === "pack" ? "a pack" : "the remote store");

/** @throws DiagnosticError `trust.refused`: the build is frozen, decisions have to be signed, and this one is not */
async function requireTrust({ request, services, lockName }: KernelContext, entry: LockEntry): Promise<void> {
  const { options } = services;
  if (request.mode !== "frozen" || !options.trust.require.includes("decision")) return;
  (await import("../lock/lock-trust.ts")).requireSignature(options, lockName, entry);
}

/** Takes the next rungs of the ladder, where `onMiss` allows it: the entry for another target of the same ISA, else the prediction. */
async function decideFrozen(context: KernelContext, miss: LockMiss): Promise<KernelDecision> {
  const { frozenMiss, standInOf, warnOfRung } = await import("../lock/lock-miss.ts");
  if (isForVisitors(context.task.target) && miss.entry === null) return predicted(context);
  if (context.services.options.onMiss === "error") throw frozenMiss(context, miss);
  const standIn = await standInOf(context, miss.entries);
  if (standIn) await requireTrust(context, standIn.entry);
  warnOfRung(context, miss, standIn ? `the schedule of ${standIn.name}` : "the predicted schedule");
  return standIn ? fromEntry(context, standIn.entry, standIn.task) : predicted(context);
}

/** Tunes again; where nothing can be measured, what the lock has stays, and what it lacks is decided as in a first tuning. */
async function decideAgain(context: KernelContext, answer: LockAnswer): Promise<KernelDecision> {
  const why = await whyNotMeasured(context);
  if (why === null) return keep(context, await offer(context, await tuneOnce(context)));
  return answer.kind === "hit" ? fromEntry(context, answer.entry) : decideUnmeasured(context, answer, why);
}

/** Tunes in another process, which writes the lock, of the sources as it finds them. */
async function tunedElsewhere(context: KernelContext, background: BackgroundTuner): Promise<KernelDecision> {
  const isDecided = await background.tune(context.request, context.services);
  if (!isDecided) return predicted(context);
  const answer = await askLock(context);
  if (answer.kind === "hit") return fromEntry(context, answer.entry);
  throw refuse("kernel.changed", `${context.lockName}: its sources changed while it was tuned`, "build again");
}

/**
 * Says why a kernel cannot be measured; null: it can, here or elsewhere. The reason is empty where there is no compiler: then
 * there will be no native kernel, and who builds it says so.
 */
async function whyNotMeasured(context: KernelContext): Promise<string | null> {
  const { task, machine, toolchain, elsewhere, browser, services } = context;
  if (elsewhere || browser) return null;
  if (needsToolchain(task.target) && !(await toolchain())) return "";
  if ((await ownCompiler(task.target)) === null) return "";
  if (services.collector) return null;
  return (await whyNotRun(context)) ?? whyNotMeasuredHere(task.target, machine);
}
