// The contract of a strategy, which chooses what to measure next. A strategy is a pure function of what is known; one file each.

import type { Candidate } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";
import type { SearchState } from "../state/search-state.ts";

export const strategyNames = [
  "default",
  "random",
  "exhaustive",
  "genetic",
  "simulated-annealing",
  "evolutionary",
  "cga",
  "random-key-cga",
  "bayesian",
  "coordinate-descent",
] as const;
export type StrategyName = (typeof strategyNames)[number];

export interface Strategy {
  /** Name of the strategy; ours are `StrategyName`s. */
  readonly name: string;
  /**
   * Proposes up to `count` candidates, the most promising first. Candidates measured before (`state.seen`), named twice or beyond
   * `count` are left out. None: as far as the strategy can see the space is used up, and the search ends. The same
   * state and generator state give the same candidates.
   */
  readonly propose: (state: SearchState, count: number, rng: Rng) => readonly Candidate[];
}
