// Files that are written for others: editors and watchers look at one that is written, even if nothing in it is new.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const hasText = (path: string, text: string): boolean => existsSync(path) && readFileSync(path, "utf8") === text;

export function writeIfChanged(path: string, text: string): void {
  if (hasText(path, text)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
