// Functions for writing a search strategy, the same that ours use: draws, small steps and children in a space, all of
// them valid by construction, and the times that are known and predicted for points. docs/search.md

export type { Rng } from "../rng.ts";
export { rank, type ScoredPoint, score } from "./evolve.ts";
export { inherit, neighbours, random } from "./moves.ts";
export { mutate } from "./mutate.ts";
export { Pool } from "./pool.ts";
export { findPoint, type Point, type SearchSpace, type SearchTemplate } from "./search-space.ts";
export { rankedTrials, type SearchState, type Trial, trialCount } from "./search-state.ts";
export { selectBatch } from "./select.ts";
export { strategies } from "./strategies.ts";
