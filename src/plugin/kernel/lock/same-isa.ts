// The second rung of the ladder: where the lock does not decide a kernel and nothing is measured, an entry of the same operator for
// another target of the same ISA. It was measured, which no prediction is.

import { asCpu, codegenVersion, type Target, vectorBytesOf } from "../../../compiler/index.ts";
import { type LockEntry, staleReason } from "../../../tuner/lock/lock-entry.ts";
import type { LockEntries } from "../../../tuner/lock/lockfile.ts";
import type { KernelContext } from "../context/kernel-context.ts";

export interface SameIsa {
  /** The entry's own name in the lock. */
  readonly name: string;
  readonly entry: LockEntry;
}

/**
 * Says whether kernels for `own` may stand in for those of `wanted`: they use vectors of the same width, as many registers, and no
 * instruction that an import of `wanted` does not allow. The features of the machine that builds do not count, since the program may run elsewhere.
 */
export const isSameIsa = (own: Target, wanted: Target): boolean =>
  own.backend === wanted.backend &&
  vectorBytesOf(own) === vectorBytesOf(wanted) &&
  asCpu(own)?.vectorRegisters === asCpu(wanted)?.vectorRegisters &&
  own.features.every((feature) => wanted.features.includes(feature));

/** Returns the entries that may stand in for a kernel's own: those with the most features first, then by name. */
export function sameIsaEntries({ task, opDigest, lockName }: KernelContext, entries: LockEntries): readonly SameIsa[] {
  const fits = (name: string, entry: LockEntry): boolean =>
    name !== lockName &&
    isSameIsa(entry.target, task.target) &&
    // All else has to be as it is asked for.
    staleReason(entry, { ...task, target: entry.target, codegen: codegenVersion, opDigest }) === null;
  return [...entries]
    .flatMap(([name, entry]) => (fits(name, entry) ? [{ name, entry }] : []))
    .sort((a, b) => b.entry.target.features.length - a.entry.target.features.length || (a.name < b.name ? -1 : 1));
}
