// One candidate's time beside the yardstick's: what it takes when the core is ours, told from what it took.

import type { Core } from "../harness/probe.ts";
import type { Yardstick } from "./yardstick.ts";

export interface Visit {
  /** Asks how much of the core is ours just now. */
  readonly look: () => void;
  /** Whether it was ours whenever somebody looked. */
  readonly isCalm: () => boolean;
  /** What took so long by the clock, when the core is ours. */
  readonly told: (clockNs: number) => number;
  /**
   * Samples of the clock → samples as the core alone gives them, in their order. The yardstick suffers more than kernels
   * that wait for memory do: they look up to 1.6 times as fast as they are. So nobody becomes the best, or better than the
   * clock ever said, on its word.
   */
  readonly undisturbed: (clockNs: readonly number[], incumbentNs: number | null) => readonly number[];
}

/**
 * Of the yardstick's slowdown, in logarithms, what others suffer beside it: the fastest suffers the most. A fit,
 * docs/measurement.md.
 */
const sharedSlowdown = 0.8;

/** Less is not to be learned by asking again, and a reading takes as long as a sample. */
const hardlySlower = 1.04;

/**
 * A probe tells of one core and of some tens of microseconds, not of what comes next and of who else is at the memory: the
 * yardstick is asked unless all has been quiet.
 *
 * Bursts are shorter than a visit and spare one run or another; what a neighbour takes all the time slows down all of
 * them. So the least that the yardstick says is taken off: held against the least sample, it is that lasting part alone,
 * and what it said at the end of the visit before does for the beginning of this one.
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
