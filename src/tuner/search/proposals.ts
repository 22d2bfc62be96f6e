// What a strategy proposes, round by round → candidates that were not measured, each once. A strategy that repeats itself is
// asked again, some times; then the search has converged.

import type { Rng } from "../rng.ts";
import type { Candidate } from "../space/space.ts";
import { candidateKey } from "./search-space.ts";
import type { SearchState } from "./search-state.ts";
import type { Strategy } from "./strategy.ts";

export interface Proposals {
  /** At most `count`, and why there are none: the strategy names none, or again and again none that is new. */
  next(state: SearchState, count: number): readonly Candidate[] | "exhausted" | "converged";
  /** Candidates so far that were measured, awaited or named already. */
  repeated(): number;
}

/** Times that a strategy is asked which names nothing new: one that draws may be luckier the next time. */
const mostAsked = 8;

export function proposalsOf({ propose }: Strategy, rng: Rng): Proposals {
  let repeated = 0;
  return {
    next(state, count) {
      for (let asked = 0; asked < mostAsked; asked++) {
        const proposed = propose(state, count, rng).slice(0, count);
        if (proposed.length === 0) return "exhausted";
        const fresh = unseen(state, proposed);
        repeated += proposed.length - fresh.length;
        if (fresh.length > 0) return fresh;
      }
      return "converged";
    },
    repeated: () => repeated,
  };
}

function unseen({ seen }: SearchState, proposed: readonly Candidate[]): readonly Candidate[] {
  const fresh = proposed.filter((candidate) => !seen.has(candidateKey(candidate)));
  return [...new Map(fresh.map((candidate) => [candidateKey(candidate), candidate])).values()];
}
