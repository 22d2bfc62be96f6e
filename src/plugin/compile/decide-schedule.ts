// Which schedule a kernel gets: the lock's, the store's, a freshly tuned one, or the predicted one, as the mode says.

import { basename } from "node:path";
import { codegenVersion, DiagnosticError, digestOf, invariant, sha256 } from "../../compiler/index.ts";
import { candidateKernel } from "../../tuner/candidate-kernel.ts";
import { predict } from "../../tuner/predict.ts";
import { explainSpace } from "../../tuner/space/explain-space.ts";
import { type GeneratedSpace, generateSpace } from "../../tuner/space/generate.ts";
import type { Candidate } from "../../tuner/space/space.ts";
import { type LockEntry, staleReason } from "../../tuner/store/lock-entry.ts";
import { readLockfile, updateLockfile } from "../../tuner/store/lockfile.ts";
import { type Measured, type ScheduleEntry, storeSchema } from "../../tuner/store/store-entry.ts";
import type { TuningTask } from "../../tuner/task.ts";
import type { Origin } from "../compiled-kernel.ts";
import { type KernelContext, refuse } from "./kernel-context.ts";
import { tuneKernel } from "./tune-kernel.ts";

export interface Decision {
  readonly origin: Origin;
  /** With the target that the decision was made for: the lock's caches shape the space, not this machine's. */
  readonly task: TuningTask;
  readonly candidate: Candidate;
  /** sha256 of the source that the candidate generates. */
  readonly source: string;
  readonly measured: Measured | null;
  readonly measurements: number;
  readonly compilerRuns: number;
}

export async function decideSchedule(context: KernelContext): Promise<Decision> {
  const locked = await fromLock(context);
  if (locked) return locked;
  const { mode } = context.request;
  if (mode === "frozen") return predicted(context);
  const stored = await fromStore(context);
  if (stored) return publish(context, stored);
  if (mode === "predict") return predicted(context);
  const reason = await whyNotMeasurable(context);
  if (reason) {
    context.services.log.warn(`${context.lockName}: ${reason}; it gets the predicted schedule, which nobody measured`);
    return predicted(context);
  }
  return publish(context, await tuneKernel(context));
}

/** Null: the lock does not decide. In mode `frozen` it has to, or `onMiss` says what else. */
async function fromLock(context: KernelContext): Promise<Decision | null> {
  const { task, services, request, lockName, opDigest } = context;
  const { lockfile, onMiss } = services.options;
  const content = await readLockfile(lockfile);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  const entry = content.entries.get(lockName);
  const wanted = { target: task.target, numerics: task.numerics, threads: task.threads, codegen: codegenVersion };
  const problem = entry ? staleReason(entry, { ...wanted, opDigest }) : "it has no entry";
  if (entry && !problem) return fromEntry(context, entry);
  if (request.mode !== "frozen") return null;
  const message = `${lockName} is not in ${basename(lockfile)}: ${problem}`;
  if (onMiss === "error") throw refuse("frozen.miss", message, frozenHint(lockfile));
  services.log.warn(`${message}; it gets the predicted schedule`);
  return null;
}

const frozenHint = (lockfile: string): string =>
  `build once with mode "tune" (CI unset) where ${basename(lockfile)} can be written, and commit it`;

function fromEntry(context: KernelContext, entry: LockEntry): Decision {
  const task = { ...context.task, target: entry.target };
  const { candidate, source, measured } = entry;
  return { origin: "lock", task, candidate, source, measured, measurements: 0, compilerRuns: 0 };
}

async function fromStore({ store, key, task }: KernelContext): Promise<Decision | null> {
  const entry = await store.entry(key);
  if (entry?.kind !== "schedule" || !entry.measured) return null;
  const { candidate, source, measured } = entry;
  return { origin: "store", task, candidate, source, measured, measurements: 0, compilerRuns: 0 };
}

function predicted(context: KernelContext): Decision {
  const { task } = context;
  const space = generateSpace(task);
  const candidate = predict(space);
  if (!candidate) throw emptySpace(context, space);
  const source = sourceDigest(task, space, candidate);
  return { origin: "predicted", task, candidate, source, measured: null, measurements: 0, compilerRuns: 0 };
}

export const emptySpace = ({ lockName }: KernelContext, space: GeneratedSpace): DiagnosticError => {
  const { message, detail } = explainSpace(space);
  return new DiagnosticError({
    code: "space.empty",
    message: `${lockName}: ${message}`,
    loc: null,
    hint: null,
    detail,
  });
};

/** What the lock promises to rebuild. */
export function sourceDigest(task: TuningTask, space: GeneratedSpace, candidate: Candidate): string {
  const kernel = candidateKernel(task, space, candidate);
  invariant(kernel.kind === "ok", `the decided candidate is illegal: ${kernel.kind}`);
  return sha256(kernel.source.kind === "c" ? kernel.source.text : kernel.source.bytes);
}

/** Writes a decision to store and lock. A cache that cannot be written costs a warning, a broken lock the build. */
async function publish(context: KernelContext, decision: Decision): Promise<Decision> {
  const { store, key, services, lockName, op, parameters } = context;
  const { task, candidate, source, measured } = decision;
  const entry: ScheduleEntry = { kind: "schedule", schema: storeSchema, candidate, source, measured };
  const warning = decision.origin === "tuned" ? await store.putEntry(key, entry) : null;
  if (warning) services.log.warn(warning);
  const lockEntry: LockEntry = {
    op: { name: op.name, digest: digestOf(op), parameters },
    target: task.target,
    numerics: task.numerics,
    threads: task.threads,
    codegen: codegenVersion,
    candidate,
    source,
    measured,
  };
  const broken = await updateLockfile(services.options.lockfile, new Map([[lockName, lockEntry]]));
  if (broken) throw new DiagnosticError(broken);
  return decision;
}

/** Why this machine cannot measure the kernel, in words, or null. */
async function whyNotMeasurable({ task, missing, toolchain }: KernelContext): Promise<string | null> {
  if (missing.length > 0) return `this CPU has no ${missing.join(", ")}`;
  if (task.target.codegen === "c" && !(await toolchain())) return "there is no compiler";
  return null;
}
