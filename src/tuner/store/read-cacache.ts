// Reads a cacache directory without loading cacache, which takes longer (50–150 ms) than all else that a build does on
// a hit. The formats are those of cacache 20 and 21, "index-v5" and "content-v2"; the tests read what cacache wrote.
// The promise is cacache's too: content whose hash is not its name is never returned.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../compiler/index.ts";

export type Content =
  | { readonly kind: "found"; readonly bytes: Uint8Array }
  | { readonly kind: "missing" }
  /** A file is there, but its hash is not its name. */
  | { readonly kind: "corrupt" };

/**
 * Returns the sha256 (hex) of the content that a key leads to, or null. A key's bucket is a file of lines `sha1(json) TAB json`;
 * the last whole line with the key counts, and one without integrity is a deletion.
 */
export function findDigest(directory: string, key: string): string | null {
  const bucket = readOrNull(join(directory, "index-v5", ...segments(sha256(key))));
  const newest = (bucket?.toString("utf8") ?? "")
    .split("\n")
    .map(parseIndexLine)
    .findLast((line) => line?.key === key);
  const base64 = /^sha256-([A-Za-z0-9+/]{43}=)$/.exec(newest?.integrity ?? "")?.[1];
  return base64 ? Buffer.from(base64, "base64").toString("hex") : null;
}

/** Reads the content with this sha256, and checks it. */
export function readContent(directory: string, digest: string): Content {
  const bytes = readOrNull(join(directory, "content-v2", "sha256", ...segments(digest)));
  if (!bytes) return { kind: "missing" };
  return sha256(bytes) === digest ? { kind: "found", bytes } : { kind: "corrupt" };
}

const segments = (hex: string): string[] => [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)];

interface IndexLine {
  readonly key: string;
  readonly integrity: string | null;
}

/** Says whether a line of a bucket has a right hash, but is none that cacache writes. */
export const isForged = (line: string): boolean => hasRightHash(line) && parseIndexLine(line) === null;

function hasRightHash(line: string): boolean {
  const [hash, json] = line.split("\t");
  return json !== undefined && createHash("sha1").update(json).digest("hex") === hash;
}

/** Parses a line of a bucket. Null for an empty line, one that was torn, and one that cacache did not write. */
function parseIndexLine(line: string): IndexLine | null {
  if (!hasRightHash(line)) return null;
  const json = line.split("\t")[1]!;
  const { key, integrity } = parsedObject(json);
  if (typeof key !== "string") return null;
  return { key, integrity: typeof integrity === "string" ? integrity : null };
}

/** Parses JSON. A text that is none, or no object, has no fields. */
function parsedObject(json: string): Partial<Record<keyof IndexLine, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/**
 * Reads a file. A file that cannot be read, for any reason, counts as absent: a store never makes a build fail. Read
 * synchronously, because a small file takes a tenth of a trip through the thread pool.
 */
function readOrNull(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return null;
  }
}
