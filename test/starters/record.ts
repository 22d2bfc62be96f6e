// A run of the matrix → a line of results.jsonl: which code, where, and what came of each starter.

import { join } from "node:path";
import { appendLine, readLines } from "../bench/json-lines.ts";
import type { Measured } from "../bench/provenance.ts";

export interface Result {
  readonly name: string;
  readonly made: string;
  /** Versions of the packages that the starter is about. */
  readonly versions: Readonly<Record<string, string>>;
  /** Commands that the user types, and places that `init` leaves to be edited by hand. */
  readonly steps: number;
  /** By step. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly types: string;
  readonly build: string;
  readonly answer: string;
  readonly failure: string | null;
}

/** A run of all rows. */
export interface Run extends Measured {
  /** Of runs before they had `measured`. */
  readonly date?: string;
  readonly commit?: string;
  readonly platform: string;
  readonly results: readonly Result[];
}

const file = join("test", "starters", "results.jsonl");

export const record = (results: readonly Result[]): void =>
  appendLine(file, { platform: `${process.platform}-${process.arch}`, results });

/** The newest run; null: there is none. */
export const newestRun = (path: string = file): Run | null => readLines<Run>(path).at(-1) ?? null;

/** What is wrong with a run, a line for each row that it lacks, that failed, or that is no row any more. */
export function problemsOf({ results }: Pick<Run, "results">, names: readonly string[]): readonly string[] {
  const missing = names.filter((name) => !results.some((result) => result.name === name));
  return [
    ...missing.map((name) => `${name}: not tried`),
    ...results.filter(({ name }) => !names.includes(name)).map(({ name }) => `${name}: not in the matrix`),
    ...results.flatMap(({ name, failure, types, build, answer }) => {
      const failed = [types, build, answer].includes("failed");
      return failure === null && !failed ? [] : [`${name}: ${failure ?? "failed"}`];
    }),
  ];
}
