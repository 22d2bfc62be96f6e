// One candidate's times, corrected by the yardstick: what a run takes by the clock → what it takes when the core is ours.

import type { Core } from "../harness/probe.ts";
import type { Yardstick } from "./yardstick.ts";

export interface Visit {
  /** Asks how much of the core is ours just now. */
  readonly look: () => void;
  /** Whether the core was ours at every `look`. */
  readonly isCalm: () => boolean;
  /** Corrects a time of the clock to what it is when the core is ours. */
  readonly told: (clockNs: number) => number;
  /**
   * Corrects samples of the clock to what the core alone would give, in their order. The yardstick suffers more than kernels
   * that wait for memory do, so that their corrected times are up to 1.6 times too short. A corrected time therefore never
   * beats the incumbent's, and never drops below the fastest sample by the clock.
   */
  readonly undisturbed: (clockNs: readonly number[], incumbentNs: number | null) => readonly number[];
}

/**
 * Exponent of the yardstick's slowdown that other kernels suffer beside it: the fastest kernel suffers the most. A fit,
 * docs/measurement.md.
 */
const sharedSlowdown = 0.8;

/** Slowdowns up to this factor are not read again: nothing is learned, and a reading takes as long as a sample. */
const hardlySlower = 1.04;

/**
 * Begins a candidate's visit. A probe tells of one core and some tens of microseconds, not of what comes next or who else
 * uses the memory. So `look` reads the yardstick unless the core has been quiet.
 *
 * Bursts are shorter than a visit and spare some runs; a lasting neighbour slows down all of them. The least slowdown of
 * the visit is that lasting part alone, so it is what `told` takes off. A fresh reading from the end of the visit before
 * serves for the beginning of this one.
 */
export function startVisit(core: Core, yardstick: Yardstick | null): Visit {
  let isCalm = true;
  let slowdown = yardstick?.recent() ?? null;
  let isFresh = slowdown !== null;
  const told = (clockNs: number): number => clockNs / (slowdown ?? 1) ** sharedSlowdown;
  return {
    look() {
      if (core.isCalm() && (yardstick === null || core.isQuiet())) return;
      isCalm = false;
      const isKnown = isFresh || (slowdown !== null && slowdown <= hardlySlower);
      isFresh = false;
      if (isKnown) return;
      if (yardstick) slowdown = Math.min(slowdown ?? Number.POSITIVE_INFINITY, yardstick.slowdown());
    },
    isCalm: () => isCalm,
    told,
    undisturbed(clockNs, incumbentNs) {
      const leastNs = Math.min(incumbentNs ?? Number.POSITIVE_INFINITY, ...clockNs);
      return clockNs.map((ns) => Math.max(leastNs, told(ns)));
    },
  };
}
