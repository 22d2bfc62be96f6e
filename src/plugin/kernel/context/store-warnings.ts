// Warnings of a build about its store, each once: that it lies where it should not, that nobody knows its entries again, and that it is large.

import { storeProblems } from "../../../tuner/store/store-problems.ts";
import { largeBytes, storeBytes } from "../../../tuner/store/store-size.ts";
import { isFirst, type Saying } from "../../support/say-once.ts";

interface StoreOptions {
  readonly root: string;
  readonly cacheDir: string;
}

interface Lines {
  info(line: string): void;
  warn(line: string): void;
}

interface Services extends Saying {
  readonly options: StoreOptions;
  readonly log: Lines;
}

/** Asks the system where the store lies and whether its secret is kept, and warns. */
export function warnOfPlace({ options: { root, cacheDir }, log, tunings }: Services): void {
  if (!isFirst(tunings, "place")) return;
  for (const { text } of storeProblems(cacheDir, root)) log.warn(text);
}

/** Called by builds that put a new kernel into the store: those have taken their time, and a store grows by nothing else. */
export function sayIfLarge({ options: { cacheDir }, log, tunings }: Services): void {
  if (!isFirst(tunings, "size")) return;
  const bytes = storeBytes(cacheDir);
  if (bytes <= largeBytes) return;
  log.info(
    `the store in ${cacheDir} has ${(bytes / 1e9).toFixed(1)} GB: npx unplugin-kernel cache gc --max-size 500MB removes what was not used for longest`,
  );
}
