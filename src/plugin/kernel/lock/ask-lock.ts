// The lock's answer for one kernel: its decision, or why there is none. What is done about a miss is in lock-miss.ts, so that a build
// that finds its kernels does not load it.

import { codegenVersion, DiagnosticError } from "../../../compiler/index.ts";
import { type LockEntry, type LockRequest, staleReason } from "../../../tuner/lock/lock-entry.ts";
import { type LockEntries, readLockfile } from "../../../tuner/lock/lockfile.ts";
import type { KernelContext } from "../context/kernel-context.ts";

export interface LockMiss {
  readonly kind: "miss";
  /** Entry of the kernel that does not hold any more; null: there is none. */
  readonly entry: LockEntry | null;
  /** Reason in words: "the operator was changed". */
  readonly why: string;
  /** All that the lock has. */
  readonly entries: LockEntries;
}

export type LockAnswer = { readonly kind: "hit"; readonly entry: LockEntry } | LockMiss;

/** What an entry has to be for. */
export const lockRequest = ({ task, opDigest }: KernelContext): LockRequest => ({
  ...task,
  codegen: codegenVersion,
  opDigest,
});

/** @throws DiagnosticError `lock.broken`, `lock.version` */
export async function askLock(context: KernelContext): Promise<LockAnswer> {
  const content = await readLockfile(context.services.options.lockfile);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  const { entries } = content;
  const entry = entries.get(context.lockName) ?? null;
  const why = entry ? staleReason(entry, lockRequest(context)) : "it has no entry";
  return entry && why === null ? { kind: "hit", entry } : { kind: "miss", entry, why: why ?? "", entries };
}
