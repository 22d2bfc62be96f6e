// Walks the index of a cacache directory, one file at a time: the newest line of every key, and the paths that the system does not let us
// read. `cacache.ls` gives up at the first such path, and does not say when a bucket was last touched.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../../native/file/regular-file.ts";
import { parseIndexLine } from "./read-cacache.ts";

export interface IndexedKey {
  readonly key: string;
  /** Integrity of the content, as cacache has it. */
  readonly integrity: string;
  /** Time of the put, in milliseconds since 1970. */
  readonly time: number;
  /** Time of the last put or use: see `last-use.ts`. */
  readonly used: number;
}

export interface Index {
  readonly keys: readonly IndexedKey[];
  /** Files and folders that are there and could not be read. */
  readonly unreadable: readonly string[];
}

export function listIndex(directory: string): Index {
  const keys: IndexedKey[] = [];
  const unreadable: string[] = [];
  const visit = (path: string, depth: number): void => {
    try {
      if (depth === 3) keys.push(...keysIn(path));
      else for (const name of readdirSync(path)) visit(join(path, name), depth + 1);
    } catch (error) {
      // Removed since its folder was read, or never made.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      if (!(error instanceof Error && "code" in error)) throw error;
      unreadable.push(path);
    }
  };
  visit(join(directory, "index-v5"), 0);
  return { keys, unreadable };
}

/** Returns the keys of a bucket that were not deleted. */
function keysIn(bucket: string): readonly IndexedKey[] {
  const newest = new Map<string, IndexedKey | null>();
  const used = statSync(bucket).mtimeMs;
  for (const text of readRegularFile(bucket).toString("utf8").split("\n")) {
    const line = parseIndexLine(text);
    if (!line) continue;
    const { key, integrity, time } = line;
    newest.set(key, integrity === null ? null : { key, integrity, time, used: Math.max(time, used) });
  }
  return [...newest.values()].filter((it) => it !== null);
}
