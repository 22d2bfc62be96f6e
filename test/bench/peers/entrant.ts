// One of those that compete: something that computes a work, checked and in place.

/** Time of one run in nanoseconds, of so many runs that they take so long together. */
export type Sampler = (sampleNs: number) => number | Promise<number>;

export interface Entrant {
  readonly name: string;
  readonly version: string;
  /** Kernels that it chose for this CPU; null or nothing: it does not say. */
  readonly chosen?: string | null;
  readonly sample: Sampler;
}

/** Why it does not compete; null: it has no such call. */
export interface Absent {
  readonly name: string;
  readonly reason: string | null;
}

export type Entry = Entrant | Absent;

export const isEntrant = (entry: Entry): entry is Entrant => "sample" in entry;
