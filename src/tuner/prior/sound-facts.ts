// Checks estimates before they are used. Authors of templates and rules may leave facts out, divide by zero or subtract
// too much. Ranking facts of all stages → the same facts, or null if one is no usable number: the candidate then counts
// as unknown.

import type { Target } from "../../compiler/index.ts";
import { factNames } from "./fact-rows.ts";
import { predictTotalNs, type RankingFacts } from "./ranker.ts";

/** Largest fact that a record may hold. */
const mostOfFact = 1e300;

/** Facts that are divisors, and so must not be 0. */
const divisors = ["waste", "lanes", "parallelTasks"] as const satisfies readonly (keyof RankingFacts)[];

/** Returns the facts. Null where no stage has facts, one of them is no amount, or they add up to no time. */
export function soundFacts(stages: readonly RankingFacts[], target: Target): readonly RankingFacts[] | null {
  if (stages.length === 0 || !stages.every(areAmounts)) return null;
  return knownNs(predictTotalNs(stages, target)) === null ? null : stages;
}

const isAmount = (value: number | undefined, name: keyof RankingFacts): boolean =>
  value === undefined ? mayLack.has(name) : value >= 0 && value <= mostOfFact;

/** Facts that an estimate may leave out. */
const mayLack: ReadonlySet<keyof RankingFacts> = new Set([
  "tilesBegun",
  "walksBegun",
  "pageWalksPerOperation",
  "unfollowedBytes",
  "movesPerOperation",
]);

/** Says whether an author's estimate returned amounts: in JavaScript it may return anything. */
export const areAmounts = (facts: RankingFacts | null | undefined): boolean =>
  typeof facts === "object" &&
  facts !== null &&
  factNames.every((name) => isAmount(facts[name], name)) &&
  divisors.every((name) => facts[name] > 0);

/** Bounds of a believable time, in nanoseconds: beyond them the model was asked for what it cannot tell. */
const [leastNs, mostNs] = [1e-9, 1e21];

/** Returns a time that a search can order by; null for zero, negative, infinite and missing ones, which mean unknown. */
export const knownNs = (ns: number | null): number | null => (ns !== null && ns >= leastNs && ns <= mostNs ? ns : null);
