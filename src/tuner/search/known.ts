// What is known of a task before it is measured, from its relatives: candidates to begin with, and how fast they should
// be. Part of a search's state.

import type { Candidate } from "../space/space.ts";

export interface Known {
  /** Candidates of this space like the fastest of known shapes, the likeliest first. */
  readonly seeds: readonly Candidate[];
  /** Shapes of the same family, and records of theirs, that were used. */
  readonly shapes: number;
  readonly records: number;
  /** The time of the best here, if the prior is as wrong here as it was there; null: nobody can tell. */
  readonly expectedNs: number | null;
}

export const nothingKnown: Known = { seeds: [], shapes: 0, records: 0, expectedNs: null };
