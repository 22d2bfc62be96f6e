// Turns a strategy's proposals, round by round, into candidates that were not measured, each once. A strategy that repeats itself is
// asked again, some times; then the search has converged.

import type { Candidate } from "../data/space.ts";
import type { Rng } from "../support/rng.ts";
import { candidateKey } from "./point/search-space.ts";
import type { SearchState } from "./state/search-state.ts";
import type { Strategy } from "./strategy/strategy.ts";

export interface Proposals {
  /** Returns at most `count` candidates, or why there are none: the strategy names none, or repeatedly none that is new. */
  next(state: SearchState, count: number): readonly Candidate[] | "exhausted" | "converged";
  /** Returns the number of candidates so far that were measured, awaited or named already. */
  repeated(): number;
}

/** Most times that a strategy which names nothing new is asked: one that draws may be luckier the next time. */
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
