// Ranking facts as they are kept in records: one row of numbers a stage, short, without names. Raw facts rather than the
// features made of them, so that other features and another machine's numbers can be tried on old records.

import type { RankingFacts } from "./ranker.ts";

/** The columns. Records of schema 2 hold them in this order: a new fact is appended, one that changes its meaning is a new schema. */
export const factNames = [
  "flops",
  "waste",
  "lanes",
  "multiplyAddShare",
  "accumulators",
  "liveRegisters",
  "loadsPerOperation",
  "bytesFromL2",
  "bytesFromL3",
  "bytesFromMemory",
  "packedBytes",
  "loopIterations",
  "parallelTasks",
  "bodyInstructions",
  "tilesBegun",
  "walksBegun",
  "pageWalksPerOperation",
  "unfollowedBytes",
  "movesPerOperation",
] as const satisfies readonly (keyof RankingFacts)[];

export type FactRow = readonly number[];

/** Number of columns that every row has; the later ones are 0 where a record of an earlier version lacks them. */
const firstColumns = factNames.indexOf("tilesBegun");

/** Six digits: facts are estimates, and lines of records stay short. */
const digits = 6;

export const factRows = (stages: readonly RankingFacts[]): readonly FactRow[] =>
  stages.map((facts) => factNames.map((name) => Number((facts[name] ?? 0).toPrecision(digits))));

const isNoRow = ({ length }: FactRow): boolean => length < firstColumns || length > factNames.length;

/** Reads rows of a record as facts. Null: nothing is known of the candidate, or not enough facts. */
export function factsOfRows(rows: readonly FactRow[] | null): readonly RankingFacts[] | null {
  if (!rows || rows.length === 0 || rows.some(isNoRow)) return null;
  return rows.map(
    (row) => Object.fromEntries(factNames.map((name, at) => [name, row[at] ?? 0])) as unknown as RankingFacts,
  );
}
