// Knowledge of a task before it is measured, from its relatives: first candidates, and how fast they should be. Part of a
// search's state.

import type { Candidate } from "../../data/space.ts";

export interface Known {
  /** Candidates of this space like the fastest of known shapes, the likeliest first. */
  readonly seeds: readonly Candidate[];
  /** Number of shapes of the same family that were used, and of their records. */
  readonly shapes: number;
  readonly records: number;
  /** Expected time of the best here, if the prior is as wrong here as it was there; null: unknown. */
  readonly expectedNs: number | null;
}

export const nothingKnown: Known = { seeds: [], shapes: 0, records: 0, expectedNs: null };
