// Files that somebody may be reading: each is there whole, as it was or as it is to be, whenever the process ends.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { renameOverSync } from "./rename-over.ts";

/**
 * Replaces a file: writes beside it, then renames. Keeps the permissions; a link stays one. Something else, such as a pipe or a device, is
 * written to: in its place a file would be a loss to the whole machine. Throws what the file system throws.
 */
export function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const isThere = existsSync(path);
  if (isThere && !statSync(path).isFile()) {
    writeFileSync(path, text);
    return;
  }
  const file = isThere ? realpathSync(path) : path;
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, text, isThere ? { mode: statSync(file).mode } : {});
    renameOverSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
