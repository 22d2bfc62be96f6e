// A file takes the place of another. On Windows that is refused for as long as somebody has the other one open: a scanner for viruses, or a reader.
// The refusal lasts milliseconds, so the rename is tried again.

import { renameSync } from "node:fs";
import { rename } from "node:fs/promises";

/** Milliseconds before each further attempt, 2.5 s in all. */
const pausesMs = process.platform === "win32" ? [5, 10, 20, 40, 80, 150, 300, 600, 1_300] : [];

const isInUse = (error: unknown): boolean =>
  ["EPERM", "EACCES", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Renames a file, in one step, to a name that may be another file's. Throws what the file system throws. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!isInUse(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  await rename(from, to);
}

/** As `renameOver`: this thread sleeps meanwhile. */
export function renameOverSync(from: string, to: string): void {
  for (const pauseMs of pausesMs) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!isInUse(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  renameSync(from, to);
}
