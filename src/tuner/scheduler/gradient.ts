// Gives the next round to the kernel where it is expected to save the most time per second of tuning. The goal is a small sum of
// weight × time over all kernels. After the gradient scheduler of Ansor (Zheng et al., OSDI 2020, section 6),
// with seconds in place of trials: rounds of one kernel may cost ten times those of another.

import { bestNs, greatest, type SchedulingPolicy, spentMs, type TaskHistory } from "./policy.ts";

export interface GradientOptions {
  /** Weight, 0 … 1, of what the last rounds saved, against what is still possible. */
  readonly recentShare: number;
  /** Number of rounds that count as the last ones. */
  readonly window: number;
  /** Factor by which a kernel may still exceed the best throughput of its family. */
  readonly headroom: number;
}

/**
 * Ansor uses 0.2 and 3. Measured on 60 random bundles of 20 curves that fall in steps (those of the test), against what round
 * robin leaves above the floor: any share from 0.2 to 0.6, window from 1 to 3 and headroom from 1.2 up leave 0.47 to 0.53 of
 * it where seconds are for three rounds each, and 0.60 to 0.70 where they are for six.
 */
export const defaultGradient: GradientOptions = { recentShare: 0.4, window: 3, headroom: 1.5 };

export function gradientPolicy(options: GradientOptions = defaultGradient): SchedulingPolicy {
  return {
    name: "gradient",
    choose(tasks) {
      const fresh = tasks.findIndex(({ rounds }) => rounds.length === 0);
      if (fresh >= 0) return fresh;
      return greatest(tasks.map((task) => expectedGain(task, tasks, options)));
    },
  };
}

/**
 * Estimates the weighted nanoseconds a call that a millisecond of tuning saves. It mixes what the last rounds saved with an
 * optimist's guess: all room that is left is gained in as much time as was spent already.
 */
export function expectedGain(
  task: TaskHistory,
  all: readonly TaskHistory[],
  { recentShare, window, headroom }: GradientOptions = defaultGradient,
): number {
  const best = bestNs(task) ?? slowestNs(task, all);
  const known = familyThroughput(task, all);
  const floor = known > 0 ? Math.min(best, workOf(task) / (known * headroom)) : 0;
  const possible = (best - floor) / Math.max(spentMs(task), leastMs);
  const recent = recentGain(task, window) ?? possible;
  return task.weight * (recentShare * recent + (1 - recentShare) * possible);
}

/** Least time of rounds, in milliseconds, so that a clock that stands still does not divide by zero. */
const leastMs = 1e-3;

/** Returns the nanoseconds that the last rounds saved a millisecond; null: there is no earlier round to compare with. */
function recentGain({ rounds }: TaskHistory, window: number): number | null {
  const first = Math.max(0, rounds.length - 1 - window);
  const [before, now] = [rounds[first]!.bestNs, rounds.at(-1)!.bestNs];
  if (first === rounds.length - 1 || before === null || now === null) return null;
  const ms = rounds.slice(first + 1).reduce((sum, round) => sum + round.ms, 0);
  return (before - now) / Math.max(ms, leastMs);
}

/** Returns the operations of a call, at least 1: kernels that only copy do some work too. */
const workOf = ({ flops }: TaskHistory): number => Math.max(flops, 1);

/** Returns operations a nanosecond; 0: nothing has run. */
const throughputOf = (task: TaskHistory): number => {
  const best = bestNs(task);
  return best === null ? 0 : workOf(task) / best;
};

/** Returns the best throughput in the task's family, itself included. */
const familyThroughput = ({ family }: TaskHistory, all: readonly TaskHistory[]): number =>
  Math.max(...all.filter((one) => one.family === family).map(throughputOf));

/** Guesses the time of a kernel that has not run from the slowest throughput so far, at most one operation a nanosecond. */
function slowestNs(task: TaskHistory, all: readonly TaskHistory[]): number {
  const known = all.map(throughputOf).filter((throughput) => throughput > 0);
  return workOf(task) / Math.min(1, ...known);
}
