// Chooses the schedule of a kernel: the lock's, the store's, a freshly tuned one, or the predicted one, by the mode.

import { basename } from "node:path";
import { codegenVersion, DiagnosticError } from "../../compiler/index.ts";
import { type LockEntry, staleReason } from "../../tuner/store/lock-entry.ts";
import { readLockfile, updateLockfile } from "../../tuner/store/lockfile.ts";
import { type Measured, type ScheduleEntry, storeSchema } from "../../tuner/store/store-entry.ts";
import { taskIdentity } from "../../tuner/store/task-identity.ts";
import type { BackgroundTuner } from "../background/background-tuner.ts";
import type { StartedTuning } from "../build-tunings.ts";
import type { CompileOptions, Origin } from "../compiled-kernel.ts";
import { packageManagerOf } from "../package-manager.ts";
import { type KernelContext, refuse } from "./kernel-context.ts";
import { predictSchedule } from "./predict-schedule.ts";
import { type Schedule, wasmTask } from "./schedule.ts";

export interface Decision extends Schedule {
  readonly origin: Origin;
  readonly measured: Measured | null;
  readonly measurements: number;
  readonly compilerRuns: number;
}

/** @throws DiagnosticError `frozen.miss`, `lock.broken`, `lock.version`, `space.empty`, `tune.nothing-ran` */
export async function decideSchedule(context: KernelContext): Promise<Decision> {
  const { mode } = context.request;
  const locked = await fromLock(context);
  if (mode === "again") return decideAgain(context, locked);
  if (locked) return locked;
  if (mode === "frozen") return predicted(context);
  const stored = await fromStore(context);
  if (stored) return lockDecision(context, stored);
  if (mode === "interim") return interim(context);
  if (mode === "predict" || !(await isMeasurable(context))) return predicted(context);
  if (context.services.background) return tunedElsewhere(context, context.services.background);
  return keep(context, (await fromRemote(context)) ?? (await offer(context, await tuneOnce(context))));
}

/** Tunes again; where nothing can be measured, what the lock has stays. */
async function decideAgain(context: KernelContext, locked: Decision | null): Promise<Decision> {
  if (await isMeasurable(context)) return keep(context, await offer(context, await tuneOnce(context)));
  return locked ?? predicted(context);
}

/** Writes a decision into store and lock, unless it was predicted for lack of time. */
async function keep(context: KernelContext, decision: Decision): Promise<Decision> {
  if (decision.measured === null) return decision;
  await storeDecision(context, decision);
  return lockDecision(context, decision);
}

/** Tunes in another process, which writes the lock, of the sources as it finds them. */
async function tunedElsewhere(context: KernelContext, background: BackgroundTuner): Promise<Decision> {
  const isDecided = await background.tune(context.request, context.services);
  if (!isDecided) return predicted(context);
  const decision = await fromLock(context);
  if (!decision) throw refuse("kernel.changed", `${context.lockName}: its sources changed while it was tuned`, null);
  return decision;
}

/** Decision of the shared store, rebuilt and run against the reference by now; null: there is none, or it is not taken. */
async function fromRemote(context: KernelContext): Promise<Decision | null> {
  const { remote } = context.services.options;
  if (remote === null) return null;
  const { remoteDecision } = await import("./remote-decision.ts");
  const shared = await remoteDecision(context, remote);
  return shared && found("remote", { task: context.task, ...shared }, shared.measured);
}

/** Puts what this build tuned into the shared store, where it may write there. */
async function offer(context: KernelContext, decision: Decision): Promise<Decision> {
  const { remote } = context.services.options;
  const { origin, measured } = decision;
  if (!remote?.isWritten || origin !== "tuned" || measured === null) return decision;
  const { offerDecision } = await import("./remote-decision.ts");
  await offerDecision(context, remote, { ...decision, measured });
  return decision;
}

/**
 * Returns the schedule that a build would take without measuring, for commands that only look at a kernel. Lock and
 * store stay as they are.
 *
 * @param context in a mode other than `frozen`
 * @throws DiagnosticError `lock.broken`, `lock.version`, `space.empty`
 */
export const knownSchedule = async (context: KernelContext): Promise<Decision> =>
  (await fromLock(context)) ?? (await fromStore(context)) ?? predicted(context);

/** Tunes equal kernels of a build once, even if their files have other names or they are asked for at other times. */
async function tuneOnce(context: KernelContext): Promise<Decision> {
  const { started } = context.services.tunings;
  const identity = taskIdentity(context.task);
  const same = started.get(identity);
  if (same) {
    same.kernels += 1;
    return shareDecision(context, await same.decision);
  }
  const decision = import("./tune-kernel.ts").then(({ tuneKernel }) => tuneKernel(context, () => tuning.kernels));
  const tuning: StartedTuning = { kernels: 1, decision };
  started.set(identity, tuning);
  return decision.catch((error: unknown) => {
    started.delete(identity);
    throw error;
  });
}

/** Decision of an equal kernel, for this one: another operator's name gives another source. */
async function shareDecision(context: KernelContext, { candidate, measured }: Decision): Promise<Decision> {
  if (measured === null) return predicted(context);
  const { task } = context;
  const { rescheduled } = await import("./schedule-source.ts");
  return found("shared", rescheduled(task, candidate), measured);
}

const found = (origin: Origin, schedule: Schedule, measured: Measured | null): Decision => {
  const { task, candidate, source } = schedule;
  return { origin, task, candidate, source, measured, measurements: 0, compilerRuns: 0 };
};

/** Decision of the lock; null: it has none. In mode `frozen` it has to, or `onMiss` says what else. */
async function fromLock(context: KernelContext): Promise<Decision | null> {
  const { task, services, request, lockName, opDigest } = context;
  const { lockfile, onMiss } = services.options;
  const content = await readLockfile(lockfile);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  const entry = content.entries.get(lockName);
  const problem = entry ? staleReason(entry, { ...task, codegen: codegenVersion, opDigest }) : "it has no entry";
  if (entry && !problem) return found("lock", { ...entry, task: { ...task, target: entry.target } }, entry.measured);
  if (request.mode !== "frozen") return null;
  const miss = entry
    ? `the entry of ${lockName} in ${basename(lockfile)} is stale: ${problem}`
    : `${lockName} is not in ${basename(lockfile)}`;
  if (onMiss === "error") throw refuse("frozen.miss", miss, frozenHint(services.options));
  services.log.warn(`${miss}; it gets the predicted schedule`);
  return null;
}

/** Hint for a frozen build. The command line does not read the bundler's configuration: it gets the same options as flags. */
const frozenHint = ({ root, lockfile, numerics }: CompileOptions): string =>
  `run ${packageManagerOf(root).execute("unplugin-kernel tune")}${numerics === "fast" ? "" : ` --numerics ${numerics}`} on a machine of your own, and commit ${basename(lockfile)}`;

/** Decision of the store; an entry that does not lead to its source is a miss. */
async function fromStore({ store, key, task }: KernelContext): Promise<Decision | null> {
  const entry = await store.entry(key);
  if (entry?.kind !== "schedule" || !entry.measured) return null;
  const schedule = { task, candidate: entry.candidate, source: entry.source };
  const { generated } = await import("./schedule-source.ts");
  return generated(schedule) && found("store", schedule, entry.measured);
}

/** Decision for now: a guess, and no compiler runs. The WASM twin answers for native targets, unless there is to be none. */
async function interim(context: KernelContext): Promise<Decision> {
  const { task, request } = context;
  const { makeGuess } = await import("./make-prediction.ts");
  return found("predicted", await makeGuess(context, request.fallback === "none" ? task : wasmTask(task)), null);
}

const predicted = async (context: KernelContext): Promise<Decision> =>
  found("predicted", await predictSchedule(context, context.task), null);

/** Says why not, unless there is no compiler: then there will be no native kernel, and who builds it says so. */
async function isMeasurable({ task, missing, toolchain, lockName, services }: KernelContext): Promise<boolean> {
  if (task.target.codegen === "c" && !(await toolchain())) return false;
  if (missing.length === 0) return true;
  const reason = `this CPU has no ${missing.join(", ")}`;
  services.log.warn(`${lockName}: ${reason}; it gets the predicted schedule, which was not measured`);
  return false;
}

/** Keeps a decision in the store. A store that cannot be written costs a warning. */
async function storeDecision({ store, key, services, lockName }: KernelContext, decision: Decision): Promise<void> {
  const { candidate, source, measured } = decision;
  const entry: ScheduleEntry = { kind: "schedule", schema: storeSchema, candidate, source, measured };
  const warning = await store.putEntry(key, entry);
  if (warning) services.log.warn(`${lockName}: ${warning}`);
}

/** Writes a decision into the lock. One that cannot be written costs a warning; one broken meanwhile is left as it is, and an error. */
async function lockDecision(context: KernelContext, decision: Decision): Promise<Decision> {
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
  const problem = await updateLockfile(services.options.lockfile, new Map([[lockName, entry]]));
  if (problem && problem.code !== "lock.unwritable") throw new DiagnosticError(problem);
  if (problem) services.log.warn(`${lockName}: ${problem.message}`);
  return decision;
}
