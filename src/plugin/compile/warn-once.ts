// Trouble with the cache directory has one cause for all kernels of a build, and is told of once.

import type { CompileServices } from "../compiled-kernel.ts";

/** @param what part of the cache directory that cannot be written */
export function warnOnce({ tunings, log }: CompileServices, what: "store" | "records", line: string): void {
  if (tunings.told.has(what)) return;
  tunings.told.add(what);
  log.warn(line);
}
