// Files that are written for others: editors and watchers look at one that is written, even if nothing in it is new.

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Whether a file of this text is there. A folder is none, and the error of the write names it. */
export const hasText = (path: string, text: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false) && readFileSync(path, "utf8") === text;

export function writeIfChanged(path: string, text: string): void {
  if (hasText(path, text)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
