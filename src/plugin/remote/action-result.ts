// An entry as a server keeps it: an ActionResult of Bazel's remote APIs as JSON, which names each file by path, digest and size.
// Servers may add fields of their own, such as who wrote it, so others than the files are not looked at.

import { createHash } from "node:crypto";

export interface Digest {
  /** sha256 in hexadecimal digits. */
  readonly hash: string;
  readonly bytes: number;
}

/** Digests by the path of each file. */
export type EntryFiles = ReadonlyMap<string, Digest>;

const mostFiles = 64;

export const digestOf = (bytes: Uint8Array): Digest => ({
  hash: createHash("sha256").update(bytes).digest("hex"),
  bytes: bytes.length,
});

export function printActionResult(files: EntryFiles): string {
  const outputFiles = [...files].map(([path, { hash, bytes }]) => ({
    path,
    digest: { hash, sizeBytes: String(bytes) },
  }));
  return JSON.stringify({ outputFiles });
}

function digestIn(value: unknown): Digest | null {
  const { hash, sizeBytes = "0" } = (value ?? {}) as { hash?: unknown; sizeBytes?: unknown };
  // JSON of protocol buffers has integers of 64 bits as strings, and reads numbers, too.
  const isSize = (typeof sizeBytes === "string" && /^\d{1,15}$/.test(sizeBytes)) || Number.isSafeInteger(sizeBytes);
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash) || !isSize || Number(sizeBytes) < 0) return null;
  return { hash, bytes: Number(sizeBytes) };
}

/** Parses an entry; null: it is none. */
export function parseActionResult(text: string): EntryFiles | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { outputFiles } = (value ?? {}) as { outputFiles?: unknown };
  if (!Array.isArray(outputFiles) || outputFiles.length > mostFiles) return null;
  const files = new Map<string, Digest>();
  for (const file of outputFiles) {
    const { path, digest: given } = (file ?? {}) as { path?: unknown; digest?: unknown };
    const digest = digestIn(given);
    if (typeof path !== "string" || path.length > 200 || digest === null || files.has(path)) return null;
    files.set(path, digest);
  }
  return files;
}
