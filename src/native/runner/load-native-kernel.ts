// A kernel of a Node-API addon, as the measuring process runs it: on the task's own arrays, timed inside the addon.

import { createRequire } from "node:module";
import type { LoadedKernel } from "../harness/bench-wasm.ts";
import type { KernelArray } from "./protocol.ts";

/** The part of an addon that measuring needs. */
interface Addon {
  /** Runs kernel `index` up to `repeats` times or `maxNs` nanoseconds; the time of each run. */
  bench(index: number, arrays: readonly KernelArray[], repeats: number, maxNs: number): Float64Array;
}

const isAddon = (module: unknown): module is Addon =>
  typeof module === "object" && module !== null && "bench" in module && typeof module.bench === "function";

/** Throws what the dynamic linker says about a file that it cannot load. */
export function loadNativeKernel(path: string, index: number, arrays: readonly KernelArray[]): LoadedKernel {
  const addon: unknown = createRequire(import.meta.url)(path);
  if (!isAddon(addon)) throw new TypeError(`${path} does not export bench()`);
  return { arrays, time: (count) => sum(addon.bench(index, arrays, count, Number.MAX_SAFE_INTEGER)) };
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
