// The compilers that a system installs: their place is a folder of the PATH, and they find their parts by themselves.

import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Installation } from "./toolchain.ts";

/** Finds a command on `path`. Null if no folder has an executable of that name. Relative folders do not count. */
export function findOnPath(command: string, path: string): Installation | null {
  const folders = path.split(delimiter).filter(isAbsolute);
  const found = folders.map((folder) => join(folder, command)).find(isExecutable);
  return found === undefined ? null : { path: found, environment: {} };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
