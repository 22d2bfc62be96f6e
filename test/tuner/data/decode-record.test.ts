import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseRecords } from "../../../src/tuner/record/database.ts";

const linesOf = (schema: number): string =>
  readFileSync(join(process.cwd(), `fixtures/records/schema-${schema}.jsonl`), "utf8");
const lines = linesOf(1);

test("records of schema 1 are still read; what they did not have is null", () => {
  const { records, skippedLines } = parseRecords(lines);
  expect(skippedLines).toBe(0);
  const written = lines.trimEnd().split("\n");
  expect(records).toEqual(
    written.map((line) => ({
      ...JSON.parse(line),
      schema: 3,
      family: null,
      extents: null,
      facts: null,
      codegen: null,
    })),
  );
  expect(new Set(records.map(({ measurement }) => measurement.kind)).size).toBe(5);
});

test("records of schema 2 are still read, as of some older code generator", () => {
  const { records, skippedLines } = parseRecords(linesOf(2));
  expect(skippedLines).toBe(0);
  const written = linesOf(2).trimEnd().split("\n");
  expect(records).toEqual(written.map((line) => ({ ...JSON.parse(line), schema: 3, codegen: null })));
});

test("records of schema 1 are checked as strictly as ever", () => {
  const [line = ""] = lines.split("\n");
  const record = JSON.parse(line) as Record<string, unknown>;
  const broken = [
    { ...record, task: "abc" },
    { ...record, facts: null },
    { ...record, trial: -1 },
  ];
  expect(parseRecords(broken.map((it) => JSON.stringify(it)).join("\n"))).toEqual({ records: [], skippedLines: 3 });
});
