// Functions for writing a search strategy, the same that ours use: draws, small steps and children in a space, all of
// them valid by construction, and the times that are known and predicted for points. docs/search.md

export type { Rng } from "../support/rng.ts";
export { rank, type ScoredPoint, score } from "./move/evolve.ts";
export { inherit, neighbours, random } from "./move/moves.ts";
export { mutate } from "./move/mutate.ts";
export { mutators } from "./move/mutator.ts";
export { Pool } from "./move/pool.ts";
export { selectBatch } from "./move/select.ts";
export { findPoint, type Mutator, type Point, type SearchSpace, type SearchTemplate } from "./point/search-space.ts";
export { rankedTrials, type SearchState, type Trial, trialCount } from "./state/search-state.ts";
export { strategies } from "./strategy/strategies.ts";
