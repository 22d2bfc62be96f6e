// A file of decisions that is written again, with the signature that may lie beside it from before.

import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { replaceFile } from "../../native/file/replace-file.ts";
import { signatureOf } from "../../tuner/trust/signed-decisions.ts";

/**
 * Replaces a file of decisions. A signature of another text is taken away, first, so that nobody finds it beside decisions that it does
 * not cover. Throws what the file system throws.
 *
 * @returns whether a signature was taken away
 */
export function replaceDecisions(path: string, text: string): boolean {
  const signature = signatureOf(path);
  const isStale = existsSync(signature) && !holds(path, text);
  if (isStale) rmSync(signature);
  replaceFile(path, text);
  return isStale;
}

const holds = (path: string, text: string): boolean =>
  existsSync(path) && statSync(path).isFile() && readFileSync(path, "utf8") === text;

/** Says what to do after a signature was taken away. */
export const signatureGone = (name: string): string =>
  `its signature was of other decisions, and is removed: cache sign ${name}`;
