// A run of the matrix → a line of results.jsonl: which code, where, and what came of each starter.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { codeCommit } from "../support/code-commit.js";

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

const file = join("test", "starters", "results.jsonl");

export function record(results: readonly Result[]): void {
  const line = {
    date: new Date().toISOString().slice(0, 10),
    commit: codeCommit("src", "package.json"),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    results,
  };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
