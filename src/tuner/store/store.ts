// The store: cacache behind a thin wrapper. Keys lead to small JSON entries, digests to blobs. An entry that cannot be
// read is a miss, one that cannot be written a warning: a build never fails because of its cache.
//
// cacache promises that reading by digest never gives wrong bytes, and little more: its copy and stream functions do
// not verify before they deliver, a put over a corrupt blob keeps the corrupt one, and `verify` loses entries beside
// writers. So: bytes are read into memory by digest only, a blob that fails is removed so that the next put can heal
// it, every put is read back, and `verify` is never called.

import { invariant, sha256 } from "../../compiler/index.ts";
import { ShapeError } from "../record/strict.ts";
import { findDigest, readContent } from "./read-cacache.ts";
import { decodeStoreEntry, type StoreEntry } from "./store-entry.ts";

/** Loads cacache, which is slow: only once something is written. */
const cacache = () => import("cacache").then((module) => module.default);

const maxEntryBytes = 65_536;

/** A put that failed, in words; the build goes on. Null when it worked. */
export type PutWarning = string | null;

export interface Store {
  /** Reads an entry. Null is a miss: absent, unreadable, corrupt, or not exactly an entry. */
  entry(key: string): Promise<StoreEntry | null>;
  putEntry(key: string, entry: StoreEntry): Promise<PutWarning>;
  /** Reads the blob with this sha256; null is a miss. */
  blob(digest: string): Promise<Uint8Array | null>;
  /** Stores bytes under their own sha256. */
  putBlob(bytes: Uint8Array): Promise<PutWarning>;
  /** Returns how many entries and blobs were found broken and treated as misses. */
  brokenCount(): number;
}

/** Opens the store in `directory`, which need not exist yet. Nothing is read or written before the first call. */
export function openStore(directory: string): Store {
  let broken = 0;
  const countBroken = () => {
    broken += 1;
  };
  return {
    entry: (key) => readEntry(directory, key, countBroken),
    putEntry(key, entry) {
      const bytes = Buffer.from(JSON.stringify(entry));
      invariant(parseEntry(bytes), `the store could not read this entry back: ${bytes}`);
      return put(directory, key, bytes);
    },
    blob: (digest) => readBlob(directory, digest, countBroken),
    putBlob: (bytes) => put(directory, `blob:${sha256(bytes)}`, bytes),
    brokenCount: () => broken,
  };
}

async function readEntry(directory: string, key: string, countBroken: () => void): Promise<StoreEntry | null> {
  const digest = findDigest(directory, key);
  const bytes = digest && (await readBlob(directory, digest, countBroken));
  if (!bytes) return null;
  const entry = parseEntry(bytes);
  if (!entry) countBroken();
  return entry;
}

function parseEntry(bytes: Uint8Array): StoreEntry | null {
  if (bytes.length > maxEntryBytes) return null;
  try {
    return decodeStoreEntry(JSON.parse(Buffer.from(bytes).toString("utf8")), []);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
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
  const api = await cacache();
  const write = () => api.put(directory, key, bytes, { algorithms: ["sha256"], memoize: false });
  await write();
  if (!(await readBlob(directory, sha256(bytes), () => undefined))) await write();
}
