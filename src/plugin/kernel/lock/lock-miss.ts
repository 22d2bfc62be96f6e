// What is said and done where the lock does not decide a kernel: the error of mode `frozen`, which shows what the lock has for the operator,
// one line a build where the code generator is another one, and the next rungs of the ladder.

import { basename } from "node:path";
import { codegenVersion, DiagnosticError } from "../../../compiler/index.ts";
import { canonicalJson } from "../../../tuner/data/key.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { type LockEntry, staleReason } from "../../../tuner/lock/lock-entry.ts";
import { type LockEntries, sortedEntries } from "../../../tuner/lock/lockfile.ts";
import { packageManagerOf } from "../../support/package-manager.ts";
import { isFirst } from "../../support/say-once.ts";
import type { CompileOptions } from "../compiled-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { type LockMiss, lockRequest } from "./ask-lock.ts";
import { isSameIsa, type SameIsa, sameIsaEntries } from "./same-isa.ts";

/** Command that mends the lock. The command line does not read the bundler's configuration: it gets the same options as flags. */
const tuneCommand = ({ root, numerics }: CompileOptions): string =>
  packageManagerOf(root).execute("unplugin-kernel tune") + (numerics === "fast" ? "" : ` --numerics ${numerics}`);

const frozenHint = (options: CompileOptions): string =>
  `run ${tuneCommand(options)} on a machine of your own, and commit ${basename(options.lockfile)}`;

/** Names of the entries that another code generator made. */
const olderEntries = (entries: LockEntries): readonly string[] =>
  [...entries].flatMap(([name, { codegen }]) => (codegen === codegenVersion ? [] : [name]));

const isOlder = ({ entry }: LockMiss): boolean => entry !== null && entry.codegen !== codegenVersion;

/** "18", "17, 18": the code generators of stale entries. */
const versionsOf = (entries: LockEntries): string =>
  [...new Set([...entries.values()].map(({ codegen }) => codegen))].filter((own) => own !== codegenVersion).join(", ");

/** "3 kernels in kernels.lock.json were tuned with code generator 18, this is 19" */
function olderText({ entries }: LockMiss, { lockfile }: CompileOptions): string {
  const { length } = olderEntries(entries);
  const kernels = length === 1 ? "1 kernel in" : `${length} kernels in`;
  const were = length === 1 ? "was" : "were";
  return `${kernels} ${basename(lockfile)} ${were} tuned with code generator ${versionsOf(entries)}, this is ${codegenVersion}`;
}

/** Message about the kernel alone. */
const missText = ({ lockName, services: { options } }: KernelContext, { entry, why }: LockMiss): string =>
  entry
    ? `the entry of ${lockName} in ${basename(options.lockfile)} is stale: ${why}`
    : `${lockName} is not in ${basename(options.lockfile)}`;

/** Tells, once a build, that kernels are tuned again since the plugin was upgraded. */
export function tellOfOlder(context: KernelContext, miss: LockMiss): void {
  if (!isOlder(miss)) return;
  const { log, options } = context.services;
  if (isFirst(context.services.tunings, "tuned again")) log.info(`${olderText(miss, options)}: they are tuned again`);
}

/** Warns of the rung that a kernel of a frozen build takes. After an upgrade one line speaks for all kernels. */
export function warnOfRung(context: KernelContext, miss: LockMiss, rung: string): void {
  const { log, options } = context.services;
  if (!isOlder(miss) || olderEntries(miss.entries).length === 1) {
    log.warn(`${missText(context, miss)}; it gets ${rung}`);
    return;
  }
  if (isFirst(context.services.tunings, `older, ${rung}`))
    log.warn(`${olderText(miss, options)}; until then they get ${rung}: ${frozenHint(options)}`);
}

/** Most lines about what else the lock has. */
const mostLines = 8;

const lines = (all: readonly string[]): readonly string[] =>
  all.length > mostLines ? [...all.slice(0, mostLines), `  and ${all.length - mostLines} more`] : all;

/** Says how an entry of the operator differs from what is wanted. */
function difference(context: KernelContext, entry: LockEntry): string {
  const { task, opDigest, parameters } = context;
  const request = lockRequest(context);
  const isOfTarget = entry.target.name === task.target.name;
  if (entry.op.digest !== opDigest && canonicalJson(entry.op.parameters) !== canonicalJson(parameters))
    return isOfTarget ? "other parameters" : "other parameters, another target";
  const stale = staleReason(entry, { ...request, target: entry.target });
  if (stale !== null) return stale;
  if (isOfTarget) return "the same kernel under another name";
  return isSameIsa(entry.target, task.target) ? "another target of the same ISA" : "another target";
}

/** Lists what the lock has for the operator, each with what speaks against it; null: nothing. */
function othersText(context: KernelContext, { entries }: LockMiss): string | null {
  const { lockName, opDigest, services } = context;
  const file = lockName.split("?")[0]!;
  const others = sortedEntries(entries).filter(
    ([name, { op }]) => name !== lockName && (name.split("?")[0] === file || op.digest === opDigest),
  );
  if (others.length === 0) return null;
  const listed = others.map(([name, entry]) => `  ${name}: ${difference(context, entry)}`);
  return [`${basename(services.options.lockfile)} has of this operator`, ...lines(listed)].join("\n");
}

/** Error of a frozen build. After an upgrade the first one lists all kernels that it is about. */
export function frozenMiss(context: KernelContext, miss: LockMiss): DiagnosticError {
  const { options } = context.services;
  const older = olderEntries(miss.entries);
  if (isOlder(miss) && older.length > 1 && isFirst(context.services.tunings, "frozen")) {
    const detail = lines(older.map((name) => `  ${name}`)).join("\n");
    return refusal(olderText(miss, options), detail, frozenHint(options));
  }
  const [standIn] = sameIsaEntries(context, miss.entries);
  const way = standIn ? `; or set onMiss: "fallback", which takes that of ${standIn.name}` : "";
  return refusal(missText(context, miss), othersText(context, miss), frozenHint(options) + way);
}

const refusal = (message: string, detail: string | null, hint: string): DiagnosticError =>
  new DiagnosticError({ code: "frozen.miss", message, loc: null, hint, detail });

/** A stand-in with the task that it is for: the kernel's own, for the target of the entry. */
export interface StandIn extends SameIsa {
  readonly task: TuningTask;
}

/** Returns the first entry that may stand in and leads to its source; null: the lock has none. */
export async function standInOf(context: KernelContext, entries: LockEntries): Promise<StandIn | null> {
  const found = sameIsaEntries(context, entries);
  if (found.length === 0) return null;
  const { generated } = await import("../source/schedule-source.ts");
  const standIns = found.map((one): StandIn => ({ ...one, task: { ...context.task, target: one.entry.target } }));
  return standIns.find(({ entry, task }) => generated({ ...entry, task }) !== null) ?? null;
}
