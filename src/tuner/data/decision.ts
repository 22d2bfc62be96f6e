// The answer of a tuning, as the lock, the store, packs and builds pass it on: which candidate computes a task.

import type { Candidate } from "./space.ts";
import type { TuningTask } from "./task.ts";

/** A decision without its task: files that are found by a key keep this much of it. */
export interface DecidedCandidate {
  readonly candidate: Candidate;
  /** sha256 of the source that the candidate generates: what a rebuild has to give. */
  readonly source: string;
}

export interface Decision extends DecidedCandidate {
  /** Task with the target that the decision was made for: its caches shape the space, not those of this machine. */
  readonly task: TuningTask;
}
