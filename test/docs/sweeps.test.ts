// docs/cuda.md sums the rows of all sweeps of schedules for NVIDIA's GPUs, those of faults that are mended since among them.
// `UPDATE_SWEEPS=1 npx vitest run test/docs/sweeps.test.ts` writes the table anew.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readLines } from "../bench/json-lines.ts";
import type { SweepRow } from "../gpu/sweep/records.ts";

const repository = resolve(import.meta.dirname, "../..");
const page = join(repository, "docs/cuda.md");
const place = /(?<=\n<!-- sweeps -->\n)[\s\S]*?(?=<!-- end -->\n)/;

const sumOf = (numbers: readonly number[]): string => numbers.reduce((sum, it) => sum + it, 0).toLocaleString("en-US");

/** A line of the table: all rows of an executor for a target, and those of the last commit that it has rows of. */
function lineOf(rows: readonly SweepRow[]): string {
  const { executor, target, commit, date } = rows.at(-1)!;
  const schedules = (of: readonly SweepRow[]): string => sumOf(of.map((row) => row.schedules));
  const counted = rows.flatMap(({ registers }) => registers ?? []);
  const near = `${sumOf(counted.map((it) => it.near))} of ${sumOf(counted.map((it) => it.schedules))}`;
  const newest = rows.filter((row) => row.commit === commit);
  const cells = [
    `\`${executor}\``,
    `\`${target}\``,
    String(new Set(rows.map(({ operator }) => operator)).size),
    schedules(rows),
    sumOf(rows.map(({ failed }) => failed)),
    counted.length > 0 ? near : "–",
    `${schedules(newest)} of ${commit.slice(0, 8)}, ${date.slice(0, 10)}, ${sumOf(newest.map(({ failed }) => failed))} failed`,
  ];
  return `| ${cells.join(" | ")} |`;
}

test("docs/cuda.md has the sums of all rows", () => {
  const rows = readLines<SweepRow>(join(repository, "test/gpu/cuda.jsonl"));
  const groups = new Map<string, readonly SweepRow[]>();
  for (const row of rows) {
    const key = `${row.executor} ${row.target}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const table = [
    "| `--executor` | target | operators | schedules | failed | registers within 15 % | of these, of the last commit that it ran on |",
    "|---|---|---:|---:|---:|---:|---|",
    ...[...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => lineOf(group)),
  ];
  const text = readFileSync(page, "utf8");
  const expected = text.replace(place, () => `\n${table.join("\n")}\n\n`);
  expect(text).toMatch(place);
  if (process.env.UPDATE_SWEEPS === "1") writeFileSync(page, expected);
  else expect(text).toBe(expected);
});
