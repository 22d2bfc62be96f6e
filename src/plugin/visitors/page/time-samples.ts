// Times of a function by a browser's clock, which is coarse: each sample fills some milliseconds with runs.

import { nowMs } from "../../../native/machine/clock.ts";
import type { Job } from "../messages.ts";
import type { OpenFunction } from "./open-function.ts";

/** Nanoseconds of a run, for each sample. */
export async function timeSamples(
  own: Pick<OpenFunction, "run">,
  { samples, sampleMs }: Pick<Job, "samples" | "sampleMs">,
): Promise<readonly number[]> {
  const timed = async (count: number): Promise<number> => {
    const start = nowMs();
    await own.run(count);
    return nowMs() - start;
  };
  let count = 1;
  let last = await timed(count);
  while (last < sampleMs) {
    count = Math.ceil(count * Math.min(8, Math.max(2, (1.2 * sampleMs) / Math.max(last, 0.1))));
    last = await timed(count);
  }
  const times = [last];
  while (times.length < samples) times.push(await timed(count));
  return times.map((ms) => (ms * 1e6) / count);
}
