// Chooses the schedule of a kernel: the lock's, the store's, a freshly tuned one, or the predicted one, by the mode.

import { codegenVersion, DiagnosticError, needsToolchain, refuse } from "../../../compiler/index.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { taskIdentity } from "../../../tuner/data/task-key.ts";
import type { LockEntry } from "../../../tuner/lock/lock-entry.ts";
import { updateLockfile } from "../../../tuner/lock/lockfile.ts";
import { sharedDecision } from "../../../tuner/store/exchange.ts";
import { type Measured, type ScheduleEntry, storeSchema } from "../../../tuner/store/store-entry.ts";
import { hasSigners } from "../../options/trust-option.ts";
import { warnOnce } from "../../support/say-once.ts";
import type { BackgroundTuner, StartedTuning } from "../compile-services.ts";
import type { Origin } from "../compiled-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision, OutsideDecision } from "../decision.ts";
import { askLock, type LockAnswer, type LockMiss } from "../lock/ask-lock.ts";
import { taskFor, tunedForOf, wasmTask } from "../schedule.ts";
import { predictSchedule } from "../source/predict-schedule.ts";
import { checkLimits } from "./check-limits.ts";

/**
 * @throws DiagnosticError `frozen.miss`, `lock.broken`, `lock.version`, `space.empty`, `trust.refused`, `tune.nothing-ran`, and
 *   those of `checkLimits`
 */
export async function decideSchedule(context: KernelContext): Promise<KernelDecision> {
  const { mode } = context.request;
  checkLimits(context);
  const answer = await askLock(context);
  if (mode === "again" || mode === "update") return decideAgain(context, answer);
  if (answer.kind !== "hit") return decideMissed(context, answer);
  await requireTrust(context, answer.entry);
  return fromEntry(context, answer.entry);
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
  if (why !== null) return (await fromSigned(context)) ?? unmeasured(context, miss, why);
  if (context.services.background) return tunedElsewhere(context, context.services.background);
  const outside = (await fromForeign(context)) ?? (await fromPacks(context)) ?? (await fromRemote(context));
  return keep(context, outside ?? (await offer(context, await tuneOnce(context))));
}

/** @throws DiagnosticError `trust.refused`: the build is frozen, decisions have to be signed, and this one is not */
async function requireTrust({ request, services, lockName }: KernelContext, entry: LockEntry): Promise<void> {
  const { options } = services;
  if (request.mode !== "frozen" || !options.trust.require.includes("decision")) return;
  (await import("../lock/lock-trust.ts")).requireSignature(options, lockName, entry);
}

/** Takes the next rungs of the ladder, where `onMiss` allows it: the entry for another target of the same ISA, else the prediction. */
async function decideFrozen(context: KernelContext, miss: LockMiss): Promise<KernelDecision> {
  const { frozenMiss, standInOf, warnOfRung } = await import("../lock/lock-miss.ts");
  if (context.services.options.onMiss === "error") throw frozenMiss(context, miss);
  const standIn = await standInOf(context, miss.entries);
  if (standIn) await requireTrust(context, standIn.entry);
  warnOfRung(context, miss, standIn ? `the schedule of ${standIn.name}` : "the predicted schedule");
  return standIn ? fromEntry(context, standIn.entry, standIn.task) : predicted(context);
}

/**
 * Decides a kernel without measuring: the lock's entry for another target of the same ISA, else the prediction.
 *
 * @param why said to the user; default: nothing is
 */
async function unmeasured(context: KernelContext, { entries }: LockMiss, why = ""): Promise<KernelDecision> {
  const { services, lockName } = context;
  const standIn = entries.size > 0 ? await (await import("../lock/lock-miss.ts")).standInOf(context, entries) : null;
  const rung = standIn ? `the schedule of ${standIn.name}` : "the predicted schedule, which was not measured";
  if (why) services.log.warn(`${lockName}: ${why}; it gets ${rung}`);
  return standIn ? fromEntry(context, standIn.entry, standIn.task) : predicted(context);
}

/** Tunes again; where nothing can be measured, what the lock has stays. */
async function decideAgain(context: KernelContext, answer: LockAnswer): Promise<KernelDecision> {
  const why = await whyNotMeasured(context);
  if (why === null) return keep(context, await offer(context, await tuneOnce(context)));
  return answer.kind === "hit" ? fromEntry(context, answer.entry) : unmeasured(context, answer, why);
}

/** Writes a decision into store and lock, unless it was predicted for lack of time. */
async function keep(context: KernelContext, decision: KernelDecision): Promise<KernelDecision> {
  if (decision.measured === null) return decision;
  await storeDecision(context, decision);
  return lockDecision(context, decision);
}

/** Tunes in another process, which writes the lock, of the sources as it finds them. */
async function tunedElsewhere(context: KernelContext, background: BackgroundTuner): Promise<KernelDecision> {
  const isDecided = await background.tune(context.request, context.services);
  if (!isDecided) return predicted(context);
  const answer = await askLock(context);
  if (answer.kind === "hit") return fromEntry(context, answer.entry);
  throw refuse("kernel.changed", `${context.lockName}: its sources changed while it was tuned`, "build again");
}

/** Decision of a pack, rebuilt and run against the reference by now; null: there is none, or it is not taken. */
async function fromPacks(context: KernelContext): Promise<KernelDecision | null> {
  if (context.services.options.packs.length === 0) return null;
  const { packDecision } = await import("../outside/pack-decision.ts");
  const taken = await packDecision(context);
  return taken && foundOutside("pack", taken);
}

/** Decision of the shared store, rebuilt and run against the reference by now; null: there is none, or it is not taken. */
async function fromRemote(context: KernelContext): Promise<KernelDecision | null> {
  const { remote } = context.services.options;
  if (remote === null) return null;
  const { remoteDecision } = await import("../outside/remote-decision.ts");
  const taken = await remoteDecision(context, remote);
  return taken && foundOutside("remote", taken);
}

/** Decision of the shared store with its addon, for a machine without a compiler, under a trusted signature; null: there is none. */
async function fromSigned(context: KernelContext): Promise<KernelDecision | null> {
  const { task, toolchain, services } = context;
  const { remote, trust } = services.options;
  if (!remote || !hasSigners(trust) || !needsToolchain(task.target) || (await toolchain())) return null;
  const { signedDecision } = await import("../outside/signed-decision.ts");
  const signed = await signedDecision(context, remote);
  return signed && { ...found("remote", signed, null), built: signed.built };
}

/** Puts what this build tuned into the shared store, where it may write there. */
async function offer(context: KernelContext, decision: KernelDecision): Promise<KernelDecision> {
  const { remote } = context.services.options;
  const { origin, measured } = decision;
  if (!remote?.isWritten || origin !== "tuned" || measured === null) return decision;
  const { offerDecision } = await import("../outside/remote-decision.ts");
  await offerDecision(context, remote, decision, measured);
  return decision;
}

/**
 * Returns the schedule that a build would take without measuring, for commands that only look at a kernel. Lock and
 * store stay as they are.
 *
 * @param context in a mode other than `frozen`
 * @throws DiagnosticError `lock.broken`, `lock.version`, `space.empty`
 */
export async function knownSchedule(context: KernelContext): Promise<KernelDecision> {
  const answer = await askLock(context);
  if (answer.kind === "hit") return fromEntry(context, answer.entry);
  return (await fromStore(context)) ?? unmeasured(context, answer);
}

/** Tunes equal kernels of a build once, even if their files have other names or they are asked for at other times. */
async function tuneOnce(context: KernelContext): Promise<KernelDecision> {
  const { started } = context.services.tunings;
  const identity = taskIdentity(context.task);
  const same = started.get(identity);
  if (same) {
    same.kernels += 1;
    return shareDecision(context, await same.decision);
  }
  const decision = import("../tuning/tune-kernel.ts").then(({ tuneKernel }) =>
    tuneKernel(context, () => tuning.kernels),
  );
  const tuning: StartedTuning = { kernels: 1, decision };
  started.set(identity, tuning);
  return decision.catch((error: unknown) => {
    started.delete(identity);
    throw error;
  });
}

/** Decision of an equal kernel, for this one: another operator's name gives another source. */
async function shareDecision(context: KernelContext, { candidate, measured }: KernelDecision): Promise<KernelDecision> {
  if (measured === null) return predicted(context);
  const { task } = context;
  const { rescheduled } = await import("../source/schedule-source.ts");
  return found("shared", rescheduled(task, candidate), measured);
}

const found = (origin: Origin, schedule: Decision, measured: Measured | null): KernelDecision => {
  const { task, candidate, source } = schedule;
  return { origin, task, candidate, source, measured, measurements: 0, compilerRuns: 0 };
};

const foundOutside = (origin: Origin, { schedule, measured, from }: OutsideDecision): KernelDecision => ({
  ...found(origin, schedule, measured),
  from,
});

/** @param standInFor task that a kernel of another target is for; default: the entry is the kernel's own */
function fromEntry({ task }: KernelContext, entry: LockEntry, standInFor?: TuningTask): KernelDecision {
  const { candidate, source, measured, target } = entry;
  const schedule = { task: standInFor ?? { ...task, target }, candidate, source };
  return found(standInFor ? "same-isa" : "lock", schedule, measured);
}

/** Decision that somebody else's build left in the store: rebuilt and run here before it is ours. Null: there is none, or it is not taken. */
async function fromForeign(context: KernelContext): Promise<KernelDecision | null> {
  const { key, store } = context;
  const entry = await store.foreignSchedule(key);
  const decision = entry && sharedDecision(key, entry);
  if (!decision) return null;
  const { foreignDecision } = await import("../outside/foreign-decision.ts");
  const taken = await foreignDecision(context, decision);
  return taken && foundOutside("store", taken);
}

/**
 * Decision of the store; an entry that does not lead to its source is a miss, and so is one from elsewhere for which nobody vouches any
 * more who has to.
 */
async function fromStore({ store, key, task, lockName, services }: KernelContext): Promise<KernelDecision | null> {
  const entry = await store.entry(key);
  if (entry?.kind !== "schedule" || !entry.measured) return null;
  const { candidate, source, tunedFor, from } = entry;
  const schedule = { task: taskFor(task, tunedFor), candidate, source };
  const { generated } = await import("../source/schedule-source.ts");
  if (!generated(schedule)) return null;
  if (!from) return found("store", schedule, entry.measured);
  const { placeOf, vouchedAgain } = await import("../../trust/outside-decision.ts");
  const by = await vouchedAgain(services.options.trust, from);
  if (by.kind === "taken") return foundOutside("store", { schedule, measured: entry.measured, from });
  services.log.warn(`${lockName}: the store's decision is from ${placeOf(from)}, and not taken: ${by.why}`);
  return null;
}

/** Decision for now: a guess, and no compiler runs. The WASM twin answers for native targets, unless there is to be none. */
async function interim(context: KernelContext): Promise<KernelDecision> {
  const { task, request } = context;
  const { makeGuess } = await import("../source/make-prediction.ts");
  return found("predicted", await makeGuess(context, request.fallback === "none" ? task : wasmTask(task)), null);
}

const predicted = async (context: KernelContext): Promise<KernelDecision> =>
  found("predicted", await predictSchedule(context, context.task), null);

/**
 * Says why a kernel cannot be measured; null: it can, here or on a fleet. The reason is empty where there is no compiler: then
 * there will be no native kernel, and who builds it says so.
 */
async function whyNotMeasured({ task, missing, toolchain, elsewhere }: KernelContext): Promise<string | null> {
  if (elsewhere) return null;
  if (needsToolchain(task.target) && !(await toolchain())) return "";
  return missing.length === 0 ? null : `this CPU has no ${missing.join(", ")}`;
}

/** Keeps a decision in the store. A store that cannot be written costs a warning. */
async function storeDecision(context: KernelContext, decision: KernelDecision): Promise<void> {
  const { store, key, services } = context;
  const { candidate, source, measured, from } = decision;
  const tunedFor = tunedForOf(context, decision);
  const entry: ScheduleEntry = {
    kind: "schedule",
    schema: storeSchema,
    candidate,
    source,
    measured,
    tunedFor,
    ...(from && { from }),
  };
  const warning = await store.putEntry(key, entry);
  if (warning) warnOnce(services, "store", warning);
}

/** Writes a decision into the lock. One that cannot be written costs a warning; one broken meanwhile is left as it is, and an error. */
async function lockDecision(context: KernelContext, decision: KernelDecision): Promise<KernelDecision> {
  const { services, lockName, op, opDigest, parameters } = context;
  const { task, candidate, source, measured } = decision;
  const { target, numerics, threads } = task;
  const shown = { name: op.name, digest: opDigest, parameters };
  const entry: LockEntry = {
    op: shown,
    target,
    numerics,
    threads,
    codegen: codegenVersion,
    candidate,
    source,
    measured,
  };
  const { signedIfOwn } = await import("../lock/lock-trust.ts");
  const signed = signedIfOwn(context, entry, decision);
  const onWait = (holder: string): void =>
    services.log.info(`${lockName}: the lock file is being written by ${holder}`);
  const problem = await updateLockfile(services.options.lockfile, new Map([[lockName, signed]]), { onWait });
  if (problem && problem.code !== "lock.unwritable") throw new DiagnosticError(problem);
  if (problem && services.onUnwritten) services.onUnwritten(problem);
  else if (problem) services.log.warn(`${lockName}: ${problem.message}`);
  return decision;
}
