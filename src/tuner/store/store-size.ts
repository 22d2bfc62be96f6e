// How much a store has on disk, for a build that added to it: sizes of files alone, nothing is read.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** A store above this size is said to be large, once a build that added to it. */
export const largeBytes = 1e9;

/** Files that are looked at: beyond, the size is not known, so that a build does not wait for it. */
const mostFiles = 20_000;

/** Returns the bytes of the store's content, or of as much of it as was looked at. */
export function storeBytes(directory: string): number {
  let bytes = 0;
  let files = 0;
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (files >= mostFiles) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else {
        files += 1;
        bytes += statSync(path).size;
      }
    }
  };
  try {
    visit(join(directory, "content-v2"));
  } catch (error) {
    // Removed while it was read, or not for us: what was counted stands.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  return bytes;
}
