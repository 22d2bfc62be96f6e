// Files of a project's owner: each is there whole, as it was or as it is to be, whenever the process ends.

import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Keeps the permissions; a link stays one. */
export function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const isThere = existsSync(path);
  const file = isThere ? realpathSync(path) : path;
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, isThere ? { mode: statSync(file).mode } : {});
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
