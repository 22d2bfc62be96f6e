// The secret that binds store entries to the user whose builds wrote them: 32 random bytes under the user's configuration
// folder, read once a process. Whoever can write the store but not read the secret cannot make an entry that counts as ours.

import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, linkSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { refuse } from "../../compiler/index.ts";
import { configurationFolder } from "../../native/file/configuration-folder.ts";
import { openAtOnce } from "../../native/file/regular-file.ts";
import { renameOverSync } from "../../native/file/rename-over.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Takes the place of the file: jobs that share a cache among themselves, and with nobody else, share this. */
export const keyVariable = "UNPLUGIN_KERNEL_STORE_KEY";

const keyBytes = 32;

interface KnownKey {
  readonly key: Uint8Array;
  /** Whether later processes have it, too. */
  readonly isKept: boolean;
}

/** Secret for each place that it was asked for: the file is read once a process. */
const known = new Map<string, KnownKey>();

/**
 * Returns this user's secret, and makes it if there is none. Where it can be neither read nor written, it is a secret of this
 * process alone: what the store has is then a miss for every other process, and nothing worse.
 *
 * @throws DiagnosticError `options.bad-value`: the environment's key is none
 */
export function storeKey(environment: Environment = process.env): Uint8Array {
  // A secret that a service does not hand out to a job, such as one of a fork, is an empty text there.
  const given = environment[keyVariable];
  if (given) return keyInHex(given);
  return keyAt(keyFile(environment)).key;
}

function keyAt(file: string | null): KnownKey {
  const place = file ?? "";
  const before = known.get(place);
  if (before) return before;
  const kept = file === null ? null : keyInFile(file);
  const found = { key: kept ?? randomBytes(keyBytes), isKept: kept !== null };
  known.set(place, found);
  return found;
}

/** Says why this user's builds do not know their own entries again; null: they do. */
export function unkeptKey(environment: Environment = process.env): string | null {
  if (environment[keyVariable]) return null;
  const file = keyFile(environment);
  if (keyAt(file).isKept) return null;
  const where =
    file === null ? "no secret could be kept, as this user has no home" : `no secret could be kept in ${file}`;
  return `${where}: each run takes what earlier ones have put into the store for somebody else's, and makes it again; set ${keyVariable} to 64 hexadecimal digits that stay the same (openssl rand -hex 32)`;
}

function keyInHex(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  // The text is a secret, and is not repeated.
  const message = `${keyVariable} is no key: it has ${text.length} letters`;
  const hint = "wanted: 64 hexadecimal digits, such as `openssl rand -hex 32` prints";
  throw refuse("options.bad-value", message, hint);
}

/** Returns the path of the file with the secret; null: the user has no home. */
export function keyFile(environment: Environment, platform: NodeJS.Platform = process.platform): string | null {
  const folder = configurationFolder(environment, platform);
  return folder && join(folder, "store.key");
}

/** Reads the secret, or makes it; null: neither can be done. */
function keyInFile(file: string): Uint8Array | null {
  try {
    const found = readKey(file);
    if (found.kind === "found") return found.key;
    return found.kind === "foreign" ? null : makeKey(file, found.kind === "broken");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return null;
  }
}

type FoundKey =
  | { readonly kind: "found"; readonly key: Uint8Array }
  | { readonly kind: "absent" }
  /** The file is ours, but holds no secret: cut short, or one that others could read or write. */
  | { readonly kind: "broken" }
  /** Another user's file, who knows what is in it. */
  | { readonly kind: "foreign" };

function readKey(file: string): FoundKey {
  const opened = openIfThere(file);
  if (opened === null) return { kind: "absent" };
  try {
    const { uid, mode, size } = fstatSync(opened);
    if (process.getuid && uid !== process.getuid()) return { kind: "foreign" };
    const isPrivate = process.platform === "win32" || (mode & 0o077) === 0;
    const key = Buffer.alloc(keyBytes);
    const isWhole = size === keyBytes && readSync(opened, key, 0, keyBytes, 0) === keyBytes;
    return isPrivate && isWhole && key.some((byte) => byte !== 0) ? { kind: "found", key } : { kind: "broken" };
  } finally {
    closeSync(opened);
  }
}

function openIfThere(file: string): number | null {
  try {
    return openAtOnce(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Writes a new secret in one step: of processes that do so at once, all take the secret of the first. */
function makeKey(file: string, isReplaced: boolean): Uint8Array | null {
  const key = randomBytes(keyBytes);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    writeFlushed(temporary, key);
    if (isReplaced || !linked(temporary, file)) renameOverSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  const there = readKey(file);
  return there.kind === "found" ? there.key : null;
}

function writeFlushed(file: string, bytes: Uint8Array): void {
  const opened = openSync(file, "wx", 0o600);
  try {
    writeSync(opened, bytes);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Gives a file its name unless there is one of that name. False: the file system has no links. */
function linked(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST";
  }
}
