// A decision is kept: in the store, and in the lock file of the project.

import { codegenVersion, DiagnosticError } from "../../../compiler/index.ts";
import type { LockEntry } from "../../../tuner/lock/lock-entry.ts";
import { updateLockfile } from "../../../tuner/lock/lockfile.ts";
import { type ScheduleEntry, storeSchema } from "../../../tuner/store/store-entry.ts";
import { warnOnce } from "../../support/say-once.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { tunedForOf } from "../schedule.ts";

/** Writes a decision into store and lock, unless it was predicted for lack of time. */
export async function keep(context: KernelContext, decision: KernelDecision): Promise<KernelDecision> {
  if (decision.measured === null) return decision;
  await storeDecision(context, decision);
  return lockDecision(context, decision);
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
export async function lockDecision(context: KernelContext, decision: KernelDecision): Promise<KernelDecision> {
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
