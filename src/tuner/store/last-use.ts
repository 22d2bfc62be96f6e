// When a key of a store was last used: the modification time of its bucket in cacache's index. A put appends to the bucket; a hit
// touches it at most once a day, so that a hit costs one look at a file's times and nearly never a write.

import { statSync, utimesSync } from "node:fs";
import { bucketOf } from "./read-cacache.ts";

/** Uses within this time are one use: nothing is collected by the hour. */
const dayMs = 86_400_000;

/** Notes that the key was used now. A store that cannot be written keeps the older time: its kernels go sooner, and are built again. */
export function noteUse(directory: string, key: string, nowMs: number): void {
  const bucket = bucketOf(directory, key);
  try {
    if (nowMs - statSync(bucket).mtimeMs < dayMs) return;
    utimesSync(bucket, nowMs / 1000, nowMs / 1000);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}
