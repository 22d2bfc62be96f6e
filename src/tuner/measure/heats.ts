// Heats before a race: a search knows its best candidates by a few samples each, so that the fastest may be its thirtieth.
// The slower half of the field is left behind after every few samples, until as few are left as a race is for: sequential
// halving (Karnin, Koren and Somekh 2013).

export interface HeatOptions {
  /** Most entrants that are left. */
  readonly keep: number;
  /** Whether time is over: then no more samples are taken. */
  readonly isOver?: (() => boolean) | undefined;
}

/** Samples of each entrant in one heat. */
export const samplesInHeat = 2;

/** Number of entrants after a heat. */
export const nextField = (field: number, keep: number): number => Math.max(keep, Math.ceil(field / 2));

/** Samples that all heats of `entrants` take together. */
export function samplesInHeats(entrants: number, keep: number): number {
  let samples = 0;
  for (let field = entrants; field > keep; field = nextField(field, keep)) samples += field * samplesInHeat;
  return samples;
}

/**
 * Returns the entrants that are fastest by the least sample of their heats, best first; if there are at most `keep`, all as
 * they came. `sample` gives the time of one run in nanoseconds, or null for a candidate that failed, which puts it last.
 *
 *     const field = await heats(candidates.length, (entrant) => timeOf(candidates[entrant]), { keep: 8 });
 */
export async function heats(
  entrants: number,
  sample: (entrant: number) => Promise<number | null>,
  { keep, isOver = () => false }: HeatOptions,
): Promise<readonly number[]> {
  let field = Array.from({ length: entrants }, (_, entrant) => entrant);
  const leastNs = field.map(() => Number.POSITIVE_INFINITY);
  while (field.length > keep && !isOver()) {
    for (let turn = 0; turn < samplesInHeat; turn++)
      // Every second turn goes backwards, so that no entrant always follows the same other one.
      for (const entrant of turn % 2 === 0 ? field : field.toReversed()) {
        if (isOver()) break;
        leastNs[entrant] = Math.min(leastNs[entrant]!, (await sample(entrant)) ?? Number.POSITIVE_INFINITY);
      }
    field = ranked(field, leastNs).slice(0, nextField(field.length, keep));
  }
  return field.slice(0, keep);
}

/**
 * Sorts entrants by their least sample. The sort is stable: those that got no sample in time come last, in the order that
 * the search gave them.
 */
const ranked = (field: readonly number[], leastNs: readonly number[]): number[] =>
  field.toSorted((left, right) => (leastNs[left] === leastNs[right] ? 0 : leastNs[left]! - leastNs[right]!));
