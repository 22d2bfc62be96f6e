// A project's folder → the file that its declarations are in, or would be.

import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { declarationFiles } from "./find-imports.ts";
import { isGenerated } from "./text.ts";

export const declarationsName = "kernel-imports.d.ts";

/** The file that was generated before, wherever it was put; null: there is none. */
export async function writtenDeclarations(root: string): Promise<string | null> {
  const usual = [join(root, "src", declarationsName), join(root, declarationsName)];
  const isOurs = (file: string): boolean => existsSync(file) && isGenerated(readFileSync(file, "utf8"));
  const known = usual.find(isOurs);
  if (known) return known;
  for await (const file of declarationFiles(root)) if (isOurs(file)) return file;
  return null;
}

/**
 * Place of the declarations: in src/, where there is such a folder or will be, as starters have `"include": ["src"]` in their tsconfig.json.
 *
 * @param operator an operator file that there is or will be
 */
export function declarationsPlace(root: string, operator?: string): string {
  const sources = join(root, "src");
  const isThere = existsSync(sources) || operator?.startsWith(sources + sep);
  return join(isThere ? sources : root, declarationsName);
}
