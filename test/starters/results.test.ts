// The newest committed run of `npm run test:starters` tried every row of the matrix, and none failed.

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { newestRun, problemsOf, type Result } from "./record.ts";
import { rows } from "./rows/all.ts";

const names = rows.map(({ name }) => name);

test("the newest run has every row of the matrix and no failure", () => {
  const run = newestRun(resolve(import.meta.dirname, "results.jsonl"));
  expect(run).not.toBeNull();
  expect(problemsOf(run!, names)).toEqual([]);
});

test("names of rows are different", () => {
  expect(new Set(names).size).toBe(names.length);
});

test("a row that was not tried, that failed, or that is gone would be seen", () => {
  const good: Result = {
    name: "a",
    made: "by its maker",
    versions: {},
    steps: 4,
    seconds: {},
    types: "–",
    build: "ok",
    answer: "ok",
    failure: null,
  };
  const results = [
    good,
    { ...good, name: "b", failure: "npm install: exit code 1" },
    { ...good, name: "c", build: "failed" },
  ];
  expect(problemsOf({ results }, ["a", "b", "d"])).toEqual([
    "d: not tried",
    "c: not in the matrix",
    "b: npm install: exit code 1",
    "c: failed",
  ]);
  expect(problemsOf({ results: [good] }, ["a"])).toEqual([]);
});
