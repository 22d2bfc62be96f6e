// Reads a cacache directory without loading cacache, which takes longer (50–150 ms) than all else that a build does on
// a hit. The formats are those of cacache 20 and 21, "index-v5" and "content-v2"; the tests read what cacache wrote.
// The promise is cacache's too: content whose hash is not its name is never returned.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import { readRegularFile } from "../../native/file/regular-file.ts";

export type Content =
  | { readonly kind: "found"; readonly bytes: Uint8Array }
  | { readonly kind: "missing" }
  /** A file is there, but its hash is not its name. */
  | { readonly kind: "corrupt" };

/** Returns the sha256 (hex) of the content that a key leads to, or null. */
export const findDigest = (directory: string, key: string): string | null =>
  digestOfIntegrity(findLine(directory, key)?.integrity ?? null);

/**
 * Returns the newest line of a key, or null. A key's bucket is a file of lines `sha1(json) TAB json`; the last whole line with the key
 * counts, and one without integrity is a deletion.
 */
export function findLine(directory: string, key: string): IndexLine | null {
  const lines = (readOrNull(bucketOf(directory, key))?.toString("utf8") ?? "").split("\n");
  return lines.map(parseIndexLine).findLast((line) => line?.key === key) ?? null;
}

/** Prints the digest of an integrity as hex, or null: it is none, or of another algorithm, and so none of ours. */
export function digestOfIntegrity(integrity: string | null): string | null {
  const base64 = /^sha256-([A-Za-z0-9+/]{43}=)$/.exec(integrity ?? "")?.[1];
  return base64 ? Buffer.from(base64, "base64").toString("hex") : null;
}

/** Returns the path of the file of the index that has the lines of a key. */
export const bucketOf = (directory: string, key: string): string =>
  join(directory, "index-v5", ...segments(sha256(key)));

/** Returns the path of the content with this sha256. */
export const contentPath = (directory: string, digest: string): string =>
  join(directory, "content-v2", "sha256", ...segments(digest));

/** Reads the content with this sha256, and checks it. */
export function readContent(directory: string, digest: string): Content {
  const bytes = readOrNull(contentPath(directory, digest));
  if (!bytes) return { kind: "missing" };
  return sha256(bytes) === digest ? { kind: "found", bytes } : { kind: "corrupt" };
}

const segments = (hex: string): string[] => [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)];

export interface IndexLine {
  readonly key: string;
  readonly integrity: string | null;
  /** Time of the put, in milliseconds since 1970. */
  readonly time: number;
}

/** Says whether a line of a bucket has a right hash, but is none that cacache writes. */
export const isForged = (line: string): boolean => hasRightHash(line) && parseIndexLine(line) === null;

function hasRightHash(line: string): boolean {
  const [hash, json] = line.split("\t");
  return json !== undefined && createHash("sha1").update(json).digest("hex") === hash;
}

/** Parses a line of a bucket. Null for an empty line, for one that was torn, and for one that is whole but no line of cacache's. */
export function parseIndexLine(line: string): IndexLine | null {
  if (!hasRightHash(line)) return null;
  const value = parsed(line.split("\t")[1]!);
  if (typeof value !== "object" || value === null) return null;
  const { key, integrity, time } = value as Partial<Record<keyof IndexLine, unknown>>;
  if (typeof key !== "string") return null;
  return {
    key,
    integrity: typeof integrity === "string" ? integrity : null,
    time: typeof time === "number" && Number.isFinite(time) ? time : 0,
  };
}

/** Parses JSON; undefined where it is none: the hash of a line says that it is whole, and not who wrote it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Reads a file. A file that cannot be read, for any reason, counts as absent: a store never makes a build fail. Read
 * synchronously, because a small file takes a tenth of a trip through the thread pool.
 */
function readOrNull(file: string): Buffer | null {
  try {
    return readRegularFile(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return null;
  }
}
