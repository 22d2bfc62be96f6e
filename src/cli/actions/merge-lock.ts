// `merge-lock`: the merge driver of the lock file, as git calls it, and the way out of a conflict that git left without it.

import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { replaceFile } from "../../native/file/replace-file.ts";
import { hasConflict, sidesOf } from "../../tuner/lock/lock-conflict.ts";
import { type LockfileContent, parseLockfile, printLockfile } from "../../tuner/lock/lockfile.ts";
import {
  describeEntry,
  type LockConflict,
  type MergedLock,
  mergeLocks,
  printMerged,
} from "../../tuner/lock/merge-locks.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { exitCodes, type Outcome, type Run } from "../project/command.ts";

type Lock = Extract<LockfileContent, { readonly kind: "ok" }>;
type Preference = "ours" | "theirs" | null;

const nothing: Lock = { kind: "ok", entries: new Map() };

/**
 * @param name of the side, for the message
 * @throws DiagnosticError of a side that is no lock
 */
function lockOf(text: string, name: string): Lock {
  // Git gives an empty file for an ancestor that there is none of.
  if (text.trim() === "") return nothing;
  const content = parseLockfile(text, name);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  return content;
}

/** @throws DiagnosticError `command.bad-argument` */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw badArgument(`${file} cannot be read: ${(error as Error).message}`, "the files that git gives a merge driver");
  }
}

/** Settles what could not be told, by the side that the user prefers. */
function settled(merged: MergedLock, prefers: Preference): MergedLock {
  if (prefers === null) return merged;
  const taken = merged.conflicts.map((conflict) => [conflict.kernel, conflict[prefers]] as const);
  return { entries: new Map([...merged.entries, ...taken]), conflicts: [] };
}

const conflictLines = ({ kernel, ours, theirs }: LockConflict): readonly string[] => [
  `conflict ${kernel}`,
  `  ours: ${describeEntry(ours)}`,
  `  theirs: ${describeEntry(theirs)}`,
];

const wayOut =
  "unplugin-kernel merge-lock --resolve --ours, or --theirs, takes one side for these kernels; after that, tune --update measures them again";

function outcomeOf({ entries, conflicts }: MergedLock): Outcome {
  const isDone = conflicts.length === 0;
  return {
    exitCode: isDone ? exitCodes.done : exitCodes.wrong,
    json: { entries: entries.size, conflicts: conflicts.map(({ kernel }) => kernel) },
    text: isDone
      ? `the merged lock has ${entries.size} ${entries.size === 1 ? "entry" : "entries"}`
      : [...conflicts.flatMap(conflictLines), wayOut].join("\n"),
  };
}

/** Merges as git's drivers do: the result goes into the file of our side. Git's own files have names that say nothing. */
function drive([base, ours, theirs]: readonly [string, string, string], prefers: Preference): Outcome {
  const before = lockOf(textOf(base), "the common ancestor");
  const mine = lockOf(textOf(ours), "our side");
  const other = lockOf(textOf(theirs), "their side");
  const merged = settled(mergeLocks(before.entries, mine.entries, other.entries), prefers);
  writeFileSync(ours, printMerged(merged, mine.schemaLink ?? other.schemaLink));
  return outcomeOf(merged);
}

/** Takes apart what git has written between its marks, and merges it. A conflict that stays leaves the file as it is. */
function resolve(lockfile: string, prefers: Preference): Outcome {
  const text = textOf(lockfile);
  if (!hasConflict(text))
    return { exitCode: exitCodes.done, json: { conflicts: [] }, text: `${basename(lockfile)} has no conflict` };
  const sides = sidesOf(text);
  const [ours, theirs] = [lockOf(sides.ours, lockfile), lockOf(sides.theirs, lockfile)];
  const base = sides.base === null ? nothing : lockOf(sides.base, lockfile);
  const merged = settled(mergeLocks(base.entries, ours.entries, theirs.entries), prefers);
  if (merged.conflicts.length === 0)
    replaceFile(lockfile, printLockfile(merged.entries, ours.schemaLink ?? theirs.schemaLink));
  return outcomeOf(merged);
}

/** @throws DiagnosticError `command.bad-argument` */
function preferenceOf({ ours, theirs }: Flags): Preference {
  if (ours && theirs) throw badArgument("--ours and --theirs are both given", "one of the two");
  return ours ? "ours" : theirs ? "theirs" : null;
}

export const run: Run = async ({ options }, files, flags) => {
  const prefers = preferenceOf(flags);
  if (flags.resolve && files.length === 0) return resolve(options.lockfile, prefers);
  const [base, ours, theirs] = files;
  if (flags.resolve || files.length !== 3 || !base || !ours || !theirs)
    throw badArgument(`merge-lock is given ${files.length} files`, "the three of git, %O %A %B, or --resolve and none");
  return drive([base, ours, theirs], prefers);
};
