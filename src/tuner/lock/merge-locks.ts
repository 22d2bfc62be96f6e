// The lock files of two branches and of their common ancestor → one lock, entry by entry. Where both changed a kernel, the better
// entry is kept if it can be told; else both are, with the marks of a conflict around them.

import { codegenVersion } from "../../compiler/index.ts";
import { canonicalJson } from "../data/key.ts";
import type { LockEntry } from "./lock-entry.ts";
import { type LockEntries, printAround, printField, sortedEntries } from "./lockfile.ts";

export interface LockConflict {
  readonly kernel: string;
  readonly ours: LockEntry;
  readonly theirs: LockEntry;
}

export interface MergedLock {
  /** Entries that are decided. */
  readonly entries: LockEntries;
  readonly conflicts: readonly LockConflict[];
}

type Maybe = LockEntry | undefined;

const isSame = (one: Maybe, other: Maybe): boolean => canonicalJson(one ?? null) === canonicalJson(other ?? null);

const isFresh = ({ codegen }: LockEntry): boolean => codegen === codegenVersion;

/** Returns the entry that is better for certain; null: it cannot be told. */
function better(ours: LockEntry, theirs: LockEntry): LockEntry | null {
  if (isFresh(ours) !== isFresh(theirs)) return isFresh(ours) ? ours : theirs;
  // One of them is for an operator that the merge does not have.
  if (ours.op.digest !== theirs.op.digest) return null;
  if (!ours.measured || !theirs.measured) return ours.measured ? ours : theirs.measured ? theirs : null;
  if (ours.measured.machine === theirs.measured.machine)
    return theirs.measured.medianNs < ours.measured.medianNs ? theirs : ours;
  // The same decision, measured on two machines.
  return isSame({ ...ours, measured: null }, { ...theirs, measured: null }) ? ours : null;
}

/** Merges one kernel's entries: what is kept of it, undefined for nothing, null for a conflict. */
function mergeEntry(base: Maybe, ours: Maybe, theirs: Maybe): Maybe | null {
  if (isSame(base, ours)) return theirs;
  if (isSame(base, theirs)) return ours;
  // An entry that one side dropped and the other tuned again is still wanted there.
  return ours && theirs ? better(ours, theirs) : (ours ?? theirs);
}

/** @param base of the common ancestor; empty where it is not known: then what either side has is kept */
export function mergeLocks(base: LockEntries, ours: LockEntries, theirs: LockEntries): MergedLock {
  const entries = new Map<string, LockEntry>();
  const conflicts: LockConflict[] = [];
  for (const kernel of new Set([...ours.keys(), ...theirs.keys()])) {
    const [one, other] = [ours.get(kernel), theirs.get(kernel)];
    const kept = mergeEntry(base.get(kernel), one, other);
    if (kept) entries.set(kernel, kept);
    else if (kept === null) conflicts.push({ kernel, ours: one!, theirs: other! });
  }
  return { entries, conflicts };
}

/** Says in a line how good an entry is, and for what. */
export function describeEntry({ measured, codegen }: LockEntry): string {
  const speed = measured ? `${measured.gflops} GFLOP/s on ${measured.machine}` : "not measured";
  return `${speed}, code generator ${codegen}`;
}

/** Prints a merged lock; entries in conflict are there twice, between marks that name the kernel and both sides. */
export function printMerged({ entries, conflicts }: MergedLock, link: string | undefined): string {
  const disputed = new Map(conflicts.map((conflict) => [conflict.kernel, conflict]));
  const all = sortedEntries(new Map([...entries, ...conflicts.map(({ kernel, ours }) => [kernel, ours] as const)]));
  const fields = all.map(([kernel, entry], at) => {
    const comma = at < all.length - 1 ? "," : "";
    const conflict = disputed.get(kernel);
    if (!conflict) return printField(kernel, entry) + comma;
    const { ours, theirs } = conflict;
    return [
      `<<<<<<< ours: ${kernel}: ${describeEntry(ours)}`,
      printField(kernel, ours) + comma,
      "=======",
      printField(kernel, theirs) + comma,
      `>>>>>>> theirs: ${kernel}: ${describeEntry(theirs)}`,
    ].join("\n");
  });
  return printAround(fields.join("\n"), link);
}
