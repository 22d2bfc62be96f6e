// What a kernel takes when the core is ours, told from what it took: a neighbour's part of the core is taken off.

import type { Core } from "../harness/probe.ts";
import type { Yardstick } from "./yardstick.ts";

export interface Sample {
  /** Of the core alone, as far as that is known. */
  readonly ns: number;
  readonly clockNs: number;
  readonly isCalm: boolean;
}

/** What the clock said is all there is to say. */
export const plainSample = (ns: number): Sample => ({ ns, clockNs: ns, isCalm: true });

/** How much of the core is ours. */
export interface Moment {
  readonly isCalm: boolean;
  /** How many times longer the yardstick takes than on a calm core; 1 where there is none. */
  readonly slowdown: number;
}

/**
 * A probe tells of one core and of some tens of microseconds, not of what comes next and of who else is at the memory: the
 * yardstick is asked unless all has been quiet.
 */
export function momentOf(core: Core, yardstick: Yardstick | null): Moment {
  const isCalm = core.isCalm() && (yardstick === null || core.isQuiet());
  return { isCalm, slowdown: isCalm || yardstick === null ? 1 : yardstick.slowdown() };
}

/**
 * Of the yardstick's slowdown, in logarithms, what others suffer beside it: the fastest suffers the most. A fit,
 * docs/measurement.md.
 */
const sharedSlowdown = 0.8;

/**
 * What a run that took `ns` between two moments takes when the core is ours. The yardstick tells how much longer everything
 * took: kernels of one operator want the same of a core. Bursts are shorter than runs, so that both moments count alike.
 */
export const undisturbed = (ns: number, before: Moment, after: Moment): Sample => ({
  ns: ns / (before.slowdown * after.slowdown) ** (sharedSlowdown / 2),
  clockNs: ns,
  isCalm: before.isCalm && after.isCalm,
});

/**
 * A neighbour only ever adds to a time, and the yardstick suffers more from it than kernels that wait for memory do: they
 * look up to 1.6 times as fast as they are. So nobody becomes the best, or better than the clock ever said, on its word.
 */
export function credible(samples: readonly Sample[], wanted: number, incumbentNs: number | null): readonly number[] {
  const leastNs = Math.min(incumbentNs ?? Number.POSITIVE_INFINITY, ...samples.map(({ clockNs }) => clockNs));
  return middleOf(samples, wanted).map(({ ns }) => Math.max(leastNs, ns));
}

/** Without the least and the greatest of more than are wanted, in the order taken. */
function middleOf(samples: readonly Sample[], wanted: number): readonly Sample[] {
  const surplus = Math.max(0, samples.length - wanted);
  const sorted = samples.toSorted((left, right) => left.ns - right.ns);
  const outer = new Set([
    ...sorted.slice(0, Math.floor(surplus / 2)),
    ...sorted.slice(sorted.length - Math.ceil(surplus / 2)),
  ]);
  return samples.filter((sample) => !outer.has(sample));
}
