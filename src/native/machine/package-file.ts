// Locates files of this package that are no part of its bundles: C files and headers, scripts of workers, pages.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the absolute path of a file of this package, whether this code runs from src or bundled in dist. */
export function packageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, path))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`unplugin-kernel is not installed completely: ${path} is missing`);
    folder = parent;
  }
  return join(folder, path);
}
