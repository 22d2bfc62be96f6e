// A kernel → the names of all entries of the lock that it may have: its own, those for classes of engines, and those for the other processors
// that option `platforms` may name. Commands that look through the lock do not know the bundler's options.

import type { KernelContext } from "../context/kernel-context.ts";
import { elsewhereNames } from "./addons-elsewhere.ts";
import { variantNames } from "./engine-variants.ts";

export const lockNamesOf = (context: KernelContext): readonly string[] => [
  context.lockName,
  ...variantNames(context),
  ...elsewhereNames(context),
];
