// The store: cacache behind a thin wrapper. Keys lead to small JSON entries, digests to blobs. An entry that cannot be
// read is a miss, one that cannot be written a warning: a build never fails because of its cache.
//
// cacache promises that reading by digest never gives wrong bytes, and little more: its copy and stream functions do
// not verify before they deliver, a put over a corrupt blob keeps the corrupt one, and `verify` loses entries beside
// writers. So: bytes are read into memory by digest only, a blob that fails is removed so that the next put can heal
// it, every put is read back, and `verify` is never called.
//
// Digests say that bytes are whole, not who wrote them. So an entry has a code that only this user's builds can make
// (`sealed-entry.ts`), and what other entries name is never read: built again, and replaced.

import { statSync } from "node:fs";
import { invariant, sha256 } from "../../compiler/index.ts";
import { refuseIrregular } from "../../native/file/regular-file.ts";
import { bucketOf, findDigest, readContent } from "./read-cacache.ts";
import { type OpenedEntry, openEntry, sealEntry } from "./sealed-entry.ts";
import type { ScheduleEntry, StoreEntry } from "./store-entry.ts";
import { storeKey } from "./store-key.ts";

/** Loads cacache, which is slow: only once something is written. */
const cacache = () => import("cacache").then((module) => module.default);

/** A put that failed, in words; the build goes on. Null when it worked. */
export type PutWarning = string | null;

export interface Store {
  /** Reads an entry that this user's builds wrote. Null is a miss: absent, unreadable, corrupt, foreign, or not exactly an entry. */
  entry(key: string): Promise<StoreEntry | null>;
  /**
   * Reads a decision that somebody else wrote: data, to be rebuilt and run against the reference before it is used. Null: there
   * is none, or it is ours.
   */
  foreignSchedule(key: string): Promise<ScheduleEntry | null>;
  putEntry(key: string, entry: StoreEntry): Promise<PutWarning>;
  /** Reads the blob with this sha256; null is a miss. */
  blob(digest: string): Promise<Uint8Array | null>;
  /** Stores bytes under their own sha256. */
  putBlob(bytes: Uint8Array): Promise<PutWarning>;
  /** Returns how many entries and blobs were found broken and treated as misses. */
  brokenCount(): number;
}

export interface StoreOptions {
  /** Returns the secret that entries are bound by; default: this user's. Called at the first entry. */
  readonly secret?: () => Uint8Array;
  /** Called with the key of each entry that was found and not trusted, each time. */
  readonly onForeign?: ((key: string) => void) | undefined;
}

/** Opens the store in `directory`, which need not exist yet. Nothing is read or written before the first call. */
export function openStore(directory: string, { secret = storeKey, onForeign }: StoreOptions = {}): Store {
  let broken = 0;
  const countBroken = () => {
    broken += 1;
  };
  const read = (key: string) => readEntry(directory, key, secret, countBroken);
  return {
    async entry(key) {
      const opened = await read(key);
      if (opened && !opened.isOurs) onForeign?.(key);
      return opened?.isOurs ? opened.entry : null;
    },
    async foreignSchedule(key) {
      const opened = await read(key);
      return opened && !opened.isOurs && opened.entry.kind === "schedule" ? opened.entry : null;
    },
    putEntry(key, entry) {
      const bytes = sealEntry(secret(), key, entry);
      invariant(openEntry(secret(), key, bytes)?.isOurs, `the store could not read this entry back: ${bytes}`);
      return put(directory, key, bytes);
    },
    blob: (digest) => readBlob(directory, digest, countBroken),
    putBlob: (bytes) => put(directory, `blob:${sha256(bytes)}`, bytes),
    brokenCount: () => broken,
  };
}

async function readEntry(
  directory: string,
  key: string,
  secret: () => Uint8Array,
  countBroken: () => void,
): Promise<OpenedEntry | null> {
  const digest = findDigest(directory, key);
  const bytes = digest && (await readBlob(directory, digest, countBroken));
  if (!bytes) return null;
  const opened = openEntry(secret(), key, bytes);
  if (!opened) countBroken();
  return opened;
}

/**
 * Reads a blob. Corrupt content is removed, because a put would keep it; where that fails (read-only), it goes on being a
 * miss.
 */
async function readBlob(directory: string, digest: string, countBroken: () => void): Promise<Uint8Array | null> {
  const content = readContent(directory, digest);
  if (content.kind === "found") return content.bytes;
  if (content.kind === "missing") return null;
  countBroken();
  const { rm } = await cacache();
  await rm.content(directory, integrityOf(digest)).catch(() => undefined);
  return null;
}

/** Prints a digest as subresource integrity, as cacache wants it. */
const integrityOf = (digest: string): string => `sha256-${Buffer.from(digest, "hex").toString("base64")}`;

async function put(directory: string, key: string, bytes: Uint8Array): Promise<PutWarning> {
  try {
    await putVerified(directory, key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return null;
  } catch (error) {
    return `the store in ${directory} could not be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Puts content and reads it back. A corrupt blob of the same digest survives the first put; the check removes it, and a
 * second put heals.
 */
async function putVerified(directory: string, key: string, bytes: Buffer): Promise<void> {
  // A pipe in place of the bucket would keep the build until somebody reads from it.
  const bucket = bucketOf(directory, key);
  const stats = statSync(bucket, { throwIfNoEntry: false });
  if (stats) refuseIrregular(bucket, stats);
  const api = await cacache();
  const write = () => api.put(directory, key, bytes, { algorithms: ["sha256"], memoize: false });
  await write();
  if (!(await readBlob(directory, sha256(bytes), () => undefined))) await write();
}
