// Log of tunings: it is read as strictly as it was written, torn lines left out.

import { appendFileSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noProfiler } from "../../../src/tuner/support/profile.ts";
import { appendTuning, type LoggedTuning, readTunings, tuningSchema } from "../../../src/tuner/tuning/tuning-log.ts";

const tuning: LoggedTuning = {
  schema: tuningSchema,
  task: "ab".repeat(32),
  targetClass: "wasm simd128",
  toolchain: "wasm",
  codegen: "17",
  strategy: "default",
  ended: "converged",
  measured: 12,
  elapsedMs: 345.6,
  history: {
    improvements: [
      [1, 20.5, 5000],
      [7, 120, 4100.25],
    ],
    stopped: { trial: 12, elapsedMs: 340 },
  },
  profile: { ...noProfiler.profile(), run: 200, lowering: 12.5 },
};

const newFile = (): string => join(mkdtempSync(join(tmpdir(), "tunings-")), "deep/tunings.jsonl");

test("what is appended is read, in its order; there need be no file", () => {
  const file = newFile();
  expect(readTunings(file)).toEqual([]);
  const other: LoggedTuning = {
    ...tuning,
    strategy: "random",
    ended: "budget",
    history: { ...tuning.history, stopped: null },
  };
  appendTuning(file, tuning);
  appendTuning(file, other);
  expect(readTunings(file)).toEqual([tuning, other]);
});

test("a torn line costs itself alone", () => {
  const file = newFile();
  appendTuning(file, tuning);
  appendFileSync(file, readFileSync(file, "utf8").slice(0, 90));
  appendTuning(file, tuning);
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(3);
  expect(readTunings(file)).toEqual([tuning, tuning]);
});

test("lines of schema 1 are still read, as of some older code generator", () => {
  const file = newFile();
  const { codegen: _, ...first } = tuning;
  appendTuning(file, tuning);
  appendFileSync(file, `${JSON.stringify({ ...first, schema: 1 })}\n`);
  expect(readTunings(file)).toEqual([tuning, { ...tuning, codegen: null }]);
});

test.each([
  ["another schema", { schema: 3 }],
  ["an unknown field", { more: 1 }],
  ["an end that is none", { ended: "bored" }],
  ["a time below 0", { elapsedMs: -1 }],
  ["an improvement of two numbers", { history: { improvements: [[1, 2]], stopped: null } }],
  ["a part that is missing", { profile: { run: 1 } }],
])("%s is not trusted", (_, change) => {
  const file = newFile();
  appendTuning(file, { ...tuning, ...change } as LoggedTuning);
  expect(readTunings(file)).toEqual([]);
});
