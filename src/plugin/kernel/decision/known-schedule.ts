// Schedules that cost no measurement: the store's, that of an entry of the lock for another target, and predictions.

import { isForGpuHere, isForVisitors } from "../../../compiler/index.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { askLock, type LockMiss } from "../lock/ask-lock.ts";
import { taskFor, wasmTask } from "../schedule.ts";
import { predictSchedule } from "../source/predict-schedule.ts";
import { found, foundOutside, fromEntry } from "./found.ts";

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

/**
 * Decision of the store; an entry that does not lead to its source is a miss, and so is one from elsewhere for which nobody vouches any
 * more who has to.
 */
export async function fromStore({
  store,
  key,
  task,
  lockName,
  services,
}: KernelContext): Promise<KernelDecision | null> {
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

const byBatch = "Another machine can measure it: npx unplugin-kernel tune --batch <folder>";

/**
 * Decides a kernel without measuring: the lock's entry for another target of the same ISA, else the prediction.
 *
 * @param why said to the user; default: nothing is
 */
export async function unmeasured(context: KernelContext, { entries }: LockMiss, why = ""): Promise<KernelDecision> {
  const { services, lockName } = context;
  const { log } = services;
  // A prediction is the rule where visitors' machines run the kernel.
  const tell = isForVisitors(context.task.target) ? log.debug : log.warn;
  const standIn = entries.size > 0 ? await (await import("../lock/lock-miss.ts")).standInOf(context, entries) : null;
  const rung = standIn ? `the schedule of ${standIn.name}` : "the predicted schedule, which was not measured";
  const other = isForGpuHere(context.task.target) ? `. ${byBatch}` : "";
  if (why) tell(`${lockName}: ${why}; it gets ${rung}${other}`);
  return standIn ? fromEntry(context, standIn.entry, standIn.task) : predicted(context);
}

/** Decision for now: a guess, and no compiler runs. The WASM twin answers for native targets, unless there is to be none. */
export async function interim(context: KernelContext): Promise<KernelDecision> {
  const { task, request } = context;
  const { makeGuess } = await import("../source/make-prediction.ts");
  return found("predicted", await makeGuess(context, request.fallback === "none" ? task : wasmTask(task)), null);
}

export const predicted = async (context: KernelContext): Promise<KernelDecision> =>
  found("predicted", await predictSchedule(context, context.task), null);
