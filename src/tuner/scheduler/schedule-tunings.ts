// Runs several tunings to their ends, in the order of a policy, within a total of seconds.

import { createTuningGroup, type GroupTask, type TuningGroupOptions } from "./tuning-group.ts";

/**
 * Returns the results in the order of the tasks, rejections included: what one throws does not stop the others, and nothing
 * goes on when the promise settles.
 *
 * @example
 * const results = await scheduleTunings(tasks, { policy: policies.gradient, totalMs: 60_000, clock });
 */
export function scheduleTunings<Result>(
  tasks: readonly GroupTask<Result>[],
  options: TuningGroupOptions,
): Promise<PromiseSettledResult<Result>[]> {
  const group = createTuningGroup(options);
  return Promise.allSettled(tasks.map((task) => group.tune(task)));
}
