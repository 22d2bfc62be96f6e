// Chooses the candidates of the heats and the race at the end: the fastest of a search, and those that its few samples
// cannot tell from them.

import { type Measurement, searchedNs } from "../data/measurement.ts";

/** Fewest candidates that take part, however far behind they are. */
const leastFinalists = 4;
/** Most candidates that take part. */
export const mostFinalists = 32;
/** Most candidates that race, after the heats: each round of the race takes a sample of each. */
export const mostRacers = 8;

/**
 * A candidate whose time is within this factor of the best may be the fastest. On a machine that others use too a time is
 * off by a tenth, and the best of hundreds of such times was lucky.
 */
const withinNoise = 1.2;

/** Returns the head of `ranked`, which is sorted by the times that a search compares. */
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
