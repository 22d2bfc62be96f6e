// A kernel whose time is known, run again and again beside those that are timed: how much longer it takes just now tells
// how much of the core is ours. Another virtual machine on the core's other hardware thread takes its part in bursts of a
// tenth of a millisecond to seconds, and no clock of this machine tells of it.

import { type Core, probesUntilCalm } from "../harness/probe.ts";
import { nowMs } from "../machine/clock.ts";
import type { TimedKernel } from "./bench-wasm.ts";
import { runsFor } from "./runs-for.ts";

export interface Yardstick {
  /** Nanoseconds that a run takes when the core is ours, as far as it has been seen. */
  readonly ns: () => number;
  /** Takes a reading. Returns how many times longer a run takes just now; at least 1. */
  readonly slowdown: () => number;
  /** Returns the latest slowdown if it is still fresh, for the next candidate; null: there is none. */
  readonly recent: () => number | null;
}

/** Nanoseconds. A longer run sees calm and disturbed times alike, and one more would cost as much as what is timed. */
export const longestYardstickNs = 30e6;

/**
 * Readings at the start, which tell the time on a calm core; the nanoseconds that they may take; the least number of them.
 */
const calibratingReadings = 12;
const calibratingNs = 100e6;
const leastReadings = 2;
/** Probes before each of these readings, until the core is ours: some 5 ms. */
const patience = 100;

/** Milliseconds for which a reading stays fresh: about what a candidate takes. A lasting neighbour stays longer. */
const recentMs = 50;

/**
 * Quantile of all readings that counts as calm. Not the least: neighbours only add to a time, but errors of the clock go
 * both ways.
 */
const calmQuantile = 0.1;

/**
 * Makes a yardstick of a kernel that has its arguments in place. Each reading fills `sampleNs` with runs, and also adds to
 * what is known of the kernel's time on a calm core.
 */
export function createYardstick(kernel: TimedKernel, estimateNs: number, sampleNs: number, core: Core): Yardstick {
  const runs = runsFor(estimateNs, sampleNs);
  const sorted: number[] = [];
  const ns = (): number => sorted[Math.floor(calmQuantile * sorted.length)]!;
  const read = (): number => {
    const reading = kernel.time(runs) / runs;
    const at = sorted.findIndex((it) => it > reading);
    sorted.splice(at < 0 ? sorted.length : at, 0, reading);
    return reading;
  };
  for (
    let spentNs = 0;
    sorted.length < calibratingReadings && (sorted.length < leastReadings || spentNs < calibratingNs);
  ) {
    probesUntilCalm(core, patience);
    spentNs += read() * runs;
  }
  let last: { readonly slowdown: number; readonly ms: number } | null = null;
  return {
    ns,
    slowdown() {
      const slowdown = Math.max(1, read() / ns());
      last = { slowdown, ms: nowMs() };
      return slowdown;
    },
    recent: () => (last && nowMs() - last.ms < recentMs ? last.slowdown : null),
  };
}
