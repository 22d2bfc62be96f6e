// Who is in the final race: the fastest of a search, and those that its few samples cannot tell from them.

import type { Measurement } from "./measurement.ts";

/** So many are raced however far behind they are. */
const leastFinalists = 4;
/** So many are raced at most: a round takes a sample of each. */
export const mostFinalists = 8;

/**
 * Whose least time is within this factor of the best median may be the fastest: times of one candidate, measured again
 * minutes later on a machine that does other work too, differ by a tenth.
 */
const withinNoise = 1.1;

/**
 * The head of a list that is sorted by median times.
 *
 * On ten tasks with a busy machine, the four fastest of one measurement were 0.1–2.3 % (1 % on average) slower than the best
 * of twelve, the six fastest half as much.
 */
export function finalistsOf<T extends { readonly measurement: Measurement }>(
  ranked: readonly T[],
  most = mostFinalists,
): readonly T[] {
  const [first] = ranked;
  if (first?.measurement.kind !== "ok") return [];
  const limitNs = first.measurement.timing.medianNs * withinNoise;
  return ranked
    .slice(0, most)
    .filter(
      ({ measurement }, at) =>
        measurement.kind === "ok" && (at < leastFinalists || measurement.timing.minNs <= limitNs),
    );
}
