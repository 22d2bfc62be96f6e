// Modules that stand in, in a page, for those of Node and of files that the compiler and the predicting part of the tuner import.

import { fileURLToPath } from "node:url";

interface StandIn {
  /** Matches an import as it is written. */
  readonly find: RegExp;
  /** Absolute path. */
  readonly replacement: string;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const standIns: readonly StandIn[] = [
  { find: /^node:crypto$/, replacement: here("crypto.ts") },
  { find: /^node:fs$/, replacement: here("no-files.ts") },
  { find: /^.*\/(native|package)-file\.ts$/, replacement: here("no-files.ts") },
];
