// kernels.lock.json: kernel → entry, sorted, committed. Read strictly; written by merging into what is on disk, under a
// lock between processes and by rename, so that concurrent builds lose nothing and a kill leaves the old file.

import { randomUUID } from "node:crypto";
import { fsync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readlink, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Diagnostic, invariant } from "../../compiler/index.ts";
import { readRegularFile } from "../../native/file/regular-file.ts";
import { renameOver } from "../../native/file/rename-over.ts";
import type { MergeLockOptions } from "../../native/lock/merge-lock.ts";
import { JsonTextError, type LocatedJson, parseLocatedJson } from "../support/located-json.ts";
import { type Decode, mapOf, object, oneOf, ShapeError, text } from "../support/strict.ts";
import { hasConflict, kernelsInConflict } from "./lock-conflict.ts";
import { concise, decodeLockEntry, type LockEntry, printLockEntry } from "./lock-entry.ts";
import { schemaLink } from "./lock-schema-link.ts";

export const lockSchema = 1;

/**
 * Entries by kernel: the operator's file relative to the project, with its sorted query, `src/gemm.op.ts?M=512&tune=avx2`.
 */
export type LockEntries = ReadonlyMap<string, LockEntry>;

export type LockfileContent =
  | {
      readonly kind: "ok";
      readonly entries: LockEntries;
      /** Path or URL of the file's JSON schema, for editors; locks of earlier versions have none. */
      readonly schemaLink?: string;
    }
  | { readonly kind: "broken"; readonly diagnostic: Diagnostic };

/** Reads the lock file at `path`; a missing one has no entries. */
export async function readLockfile(path: string): Promise<LockfileContent> {
  try {
    const content = readOrNull(path);
    return content === null ? { kind: "ok", entries: new Map() } : parseLockfile(content, path);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return { kind: "broken", diagnostic: { ...broken(path, 1, error.message), loc: null } };
  }
}

/** Parses a lock file's text; `path` is for the messages. */
export function parseLockfile(content: string, path: string): LockfileContent {
  let json: LocatedJson | null = null;
  try {
    json = parseLocatedJson(content);
    const version = versionProblem(json, path);
    if (version) return { kind: "broken", diagnostic: version };
    const { kernels, $schema } = decodeFile(json.value, []);
    const entries = new Map(Object.entries(kernels));
    return { kind: "ok", entries, ...($schema === undefined ? {} : { schemaLink: $schema }) };
  } catch (error) {
    if (error instanceof JsonTextError && hasConflict(content))
      return { kind: "broken", diagnostic: conflicting(path, error.line, kernelsInConflict(content)) };
    if (error instanceof JsonTextError) return { kind: "broken", diagnostic: broken(path, error.line, error.message) };
    if (!(error instanceof ShapeError) || !json) throw error;
    return { kind: "broken", diagnostic: broken(path, json.lineOf(error.path), error.message) };
  }
}

/** Entries in the order in which they are printed. */
export const sortedEntries = (entries: LockEntries): readonly (readonly [string, LockEntry])[] =>
  [...entries].sort(([left], [right]) => (left < right ? -1 : 1));

/** Prints the field of one kernel, without a comma behind it. */
export const printField = (kernel: string, entry: LockEntry): string =>
  `    ${JSON.stringify(kernel)}: ${printLockEntry(entry, "    ")}`;

/** Prints a lock file around the text of its fields. */
export function printAround(fields: string, link: string | undefined): string {
  const first = link === undefined ? "" : `  "$schema": ${JSON.stringify(link)},\n`;
  const kernels = fields === "" ? "{}" : `{\n${fields}\n  }`;
  return `{\n${first}  "schema": ${lockSchema},\n  "kernels": ${kernels}\n}\n`;
}

/** Prints a lock file: sorted entries, one field a line, a newline at the end. */
export const printLockfile = (entries: LockEntries, link?: string): string =>
  printAround(
    sortedEntries(entries)
      .map(([kernel, entry]) => printField(kernel, entry))
      .join(",\n"),
    link,
  );

/**
 * Puts entries into the file at `path` (or takes them out, where null), keeping all others. If the file is broken, of another
 * version, or cannot be written, it stays as it is, and a Diagnostic is returned.
 *
 * @param options of the wait for others who write it; `onWait` is told who does
 */
export async function updateLockfile(
  path: string,
  changes: ReadonlyMap<string, LockEntry | null>,
  options: MergeLockOptions = {},
): Promise<Diagnostic | null> {
  try {
    const file = await resolveLinks(path);
    // A build that only reads the lock need not load it.
    const { withMergeLock } = await import("../../native/lock/merge-lock.ts");
    const { problem } = await withMergeLock(file, options, (isHeld) => merge(file, changes, isHeld));
    return problem;
  } catch (error) {
    if (!(error instanceof Error && ("code" in error || error.name === "LockTimeout"))) throw error;
    return {
      code: "lock.unwritable",
      message: `${path} cannot be written: ${error.message}`,
      loc: null,
      hint: null,
      detail: null,
    };
  }
}

/** Returns one name for a file, however it is reached: the machine lock and the replacement use it. Makes the directory. */
async function resolveLinks(path: string): Promise<string> {
  await mkdir(dirname(resolve(path)), { recursive: true });
  const file = join(await realpath(dirname(resolve(path))), basename(path));
  try {
    return await realpath(file);
  } catch (error) {
    // A link to a file that is not there yet leads to where it will be.
    const target = (error as NodeJS.ErrnoException).code === "ENOENT" ? await readlink(file).catch(() => null) : null;
    return target === null ? file : resolveLinks(resolve(dirname(file), target));
  }
}

/** Returns null, and leaves the file as it is, where the lock is another's by now. */
async function merge(
  file: string,
  changes: ReadonlyMap<string, LockEntry | null>,
  isHeld: () => Promise<boolean>,
): Promise<{ readonly problem: Diagnostic | null } | null> {
  const before = await readLockfile(file);
  if (before.kind === "broken") return { problem: before.diagnostic };
  const entries = new Map(before.entries);
  for (const [kernel, entry] of changes) {
    if (entry) entries.set(kernel, concise(entry));
    else entries.delete(kernel);
  }
  const link = before.schemaLink ?? schemaLink(file);
  const printed = printLockfile(entries, link);
  const after = parseLockfile(printed, file);
  invariant(
    after.kind === "ok",
    `the lock file would not be readable: ${after.kind === "broken" && after.diagnostic.message}`,
  );
  // A lock without a link to its schema gets one with its next entry, not by itself.
  if (printed === printLockfile(before.entries, link)) return { problem: null };
  return (await replace(file, printed, isHeld)) ? { problem: null } : null;
}

/**
 * Writes beside the file, flushes and renames: readers see the old text or the new one, after a power cut too. Says whether it
 * did: not where the lock is another's.
 */
async function replace(file: string, content: string, isHeld: () => Promise<boolean>): Promise<boolean> {
  await removeLeftovers(file);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFlushed(temporary, content);
    if (!(await isHeld())) return false;
    await renameOver(temporary, file);
  } catch (error) {
    // A process that took the lock away removes what it takes for left over.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || (await isHeld())) throw error;
    return false;
  } finally {
    await rm(temporary, { force: true });
  }
  if (process.platform !== "win32") await flushDirectory(dirname(file));
  return true;
}

async function writeFlushed(file: string, content: string): Promise<void> {
  const handle = await open(file, "wx");
  try {
    await handle.writeFile(content);
    await flush(handle);
  } finally {
    await handle.close();
  }
}

async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await flush(handle).finally(() => handle.close());
}

/** Flushes a file by its number, as the handles of Yarn's Plug'n'Play have no `sync`. */
const flush = ({ fd }: FileHandle): Promise<void> => promisify(fsync)(fd);

/** Removes what killed writers left. Safe, as the holder of the lock is the only writer. */
async function removeLeftovers(file: string): Promise<void> {
  const names = await readdir(dirname(file));
  const leftovers = names.filter((name) => name.startsWith(`${basename(file)}.`) && name.endsWith(".tmp"));
  for (const name of leftovers) await rm(join(dirname(file), name), { force: true });
}

function readOrNull(path: string): string | null {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Most characters of a kernel's name, counted as a reader does: one for each letter of any script. */
export const longestKernelName = 500;

/** Characters that would confuse a terminal or a log, in any kernel's name. */
export const badInKernelName: RegExp = /["\\\p{Cc}]/u;

const kernelName = text(2 * longestKernelName, /^[^"\\\p{Cc}]{1,500}$/u, "the name of a kernel");

interface LockText {
  readonly $schema?: string;
  readonly schema: number;
  readonly kernels: Readonly<Record<string, LockEntry>>;
}

const fields = { schema: oneOf(lockSchema), kernels: mapOf(kernelName, decodeLockEntry, 100_000) };
const withLink = object<Required<LockText>>({ $schema: text(500), ...fields });
const withoutLink = object<Omit<LockText, "$schema">>(fields);

const decodeFile: Decode<LockText> = (value, path) =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "$schema")
    ? withLink(value, path)
    : withoutLink(value, path);

/** Returns a diagnostic for another version's file. Checked before all else, as another version may have other fields. */
function versionProblem({ value, lineOf }: LocatedJson, file: string): Diagnostic | null {
  const schema = typeof value === "object" && value !== null && "schema" in value ? value.schema : null;
  if (typeof schema !== "number" || schema === lockSchema) return null;
  return {
    code: "lock.version",
    message: `${basename(file)} has schema ${schema}, this version reads schema ${lockSchema}; the file was left as it is`,
    loc: { file, line: lineOf(["schema"]), column: 1 },
    hint: "update unplugin-kernel, or delete the file and tune again",
    detail: null,
  };
}

const broken = (file: string, line: number, what: string): Diagnostic => ({
  code: "lock.broken",
  message: `${basename(file)} cannot be read: ${what}`,
  loc: { file, line, column: 1 },
  hint: "take the file from version control, or delete it and tune again",
  detail: null,
});

/** Most kernels that a message about a conflict names. */
const mostNamed = 8;

const conflicting = (file: string, line: number, kernels: readonly string[]): Diagnostic => ({
  ...broken(file, line, "a merge conflict is not resolved"),
  hint: `run npx unplugin-kernel merge-lock --resolve, which keeps the entries of both sides; or take one side with git checkout --ours or --theirs ${basename(file)}, then run npx unplugin-kernel tune`,
  detail: kernels.length === 0 ? null : namesOf(kernels),
});

/** Lines with names of kernels, no more than a reader takes in. */
function namesOf(kernels: readonly string[]): string {
  const more = kernels.length - mostNamed;
  const shown = kernels.slice(0, mostNamed).map((name) => `  ${name}`);
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}
