// Who is in the heats and the race at the end: the fastest of a search, and those that its few samples cannot tell from them.

import { type Measurement, searchedNs } from "./measurement.ts";

/** So many take part however far behind they are. */
const leastFinalists = 4;
/** So many at most. */
export const mostFinalists = 32;
/** So many race, after the heats: a round takes a sample of each. */
export const mostRacers = 8;

/**
 * Whose time is within this factor of the best may be the fastest: on a machine that others use too a time
 * is off by a tenth, and who is the best of hundreds of those was lucky.
 */
const withinNoise = 1.2;

/** The head of a list that is sorted by the times that a search holds against each other. */
export function finalistsOf<T extends { readonly measurement: Measurement }>(
  ranked: readonly T[],
  most = mostFinalists,
): readonly T[] {
  const timesNs = ranked.slice(0, most).map(({ measurement }) => searchedNs(measurement));
  const limitNs = (timesNs[0] ?? 0) * withinNoise;
  return ranked.filter((_, at) => {
    const ns = timesNs[at] ?? null;
    return ns !== null && (at < leastFinalists || ns <= limitNs);
  });
}
