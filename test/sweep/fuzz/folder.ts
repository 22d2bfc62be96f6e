// A folder for parsers that read a file where it lies: inputs are written there, one after the other.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

let made: string | null = null;

/** The folder of this process, which goes with it. */
function folder(): string {
  if (made !== null) return made;
  made = mkdtempSync(join(tmpdir(), "kernel-fuzz-"));
  const path = made;
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return made;
}

/** Writes files, by their paths below a folder of that name, and returns the folder's absolute path. */
export function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder(), name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}
