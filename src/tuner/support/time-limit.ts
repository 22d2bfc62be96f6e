// The end of a budget, for all that takes part in a tuning: how much time is left, and what was not done for lack of it.

/** Returns the milliseconds that are left; zero or less: time is over. */
export type LeftMs = () => number;

/** Time without a limit. */
export const forever: LeftMs = () => Number.POSITIVE_INFINITY;

/** Outcome of a candidate that was not measured in time: nothing is known of it, so nothing is recorded. */
export interface NoTime {
  readonly kind: "no-time";
  /** Step that there was no time for, in words. */
  readonly reason: string;
}

export const noTime = (reason: string): NoTime => ({ kind: "no-time", reason });

class OutOfTime extends Error {}

/** Runs work that calls the function it is given to look at the clock now and then; null: time was over before its end. */
export function withinTime<T>(leftMs: LeftMs, work: (look: () => void) => T): T | null {
  try {
    return work(() => {
      if (leftMs() <= 0) throw new OutOfTime();
    });
  } catch (error) {
    if (error instanceof OutOfTime) return null;
    throw error;
  }
}

const seconds = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;

/** Returns why work that is expected to take `ms` is not begun; null: there is time for it. */
export const tooLong = (what: string, ms: number, leftMs: LeftMs): NoTime | null =>
  ms > leftMs() ? noTime(`${what} would take about ${seconds(ms)}, and ${seconds(leftMs())} were left`) : null;
