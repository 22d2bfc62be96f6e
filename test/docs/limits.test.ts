// docs/limits.md has every bar that a page of a bench says is missed, with the page's own figures.
// `UPDATE_LIMITS=1 npx vitest run test/docs/limits.test.ts` writes them anew.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { missedBars } from "../bench/missed-bars.ts";
import { readResults } from "../bench/peers/result.ts";
import { readTimings } from "../bench/peers/timing.ts";
import { pagesOf } from "../bench/peers/write-report.ts";
import { barsOf } from "../bench/search/bars.ts";
import { readResults as readRuns } from "../bench/search/results-file.ts";
import { readSettled } from "../bench/search/settled-times.ts";
import { contestsOf, latestCpu } from "../bench/search/summary.ts";

const repository = resolve(import.meta.dirname, "../..");
const rows = (name: string): string => join(repository, "test/bench", name);
const page = (name: string): string => join(repository, "docs", name);
const limits = readFileSync(page("limits.md"), "utf8");

const pages = pagesOf(readResults(rows("peers/results.jsonl")), readTimings(rows("peers/timings.jsonl")));

function searchBars() {
  const runs = readRuns(rows("search/results.jsonl"));
  const cpu = latestCpu(runs)!;
  const own = runs.filter((run) => run.cpu === cpu);
  return barsOf(contestsOf(own, readSettled(rows("search/settled.jsonl"), cpu), 60));
}

/** What stands between these lines is written by this test. */
const place = /(?<=\n## Bars that are missed\n[\s\S]*?\n<!-- missed bars -->\n)[\s\S]*?(?=\n<!-- end -->\n)/;

test("docs/limits.md has the bars that are missed, with their suites' figures", () => {
  const expected = limits.replace(place, () => `\n${missedBars(pages, searchBars())}\n`);
  expect(limits).toMatch(place);
  if (process.env.UPDATE_LIMITS === "1") writeFileSync(page("limits.md"), expected);
  else expect(limits).toBe(expected);
});

test("no page calls a bar missed that is not in docs/limits.md", () => {
  const names = readdirSync(page(".")).filter((name) => /^(peers.*|search-bench)\.md$/.test(name));
  const missed = names.flatMap((name) =>
    readFileSync(page(name), "utf8")
      .split("\n")
      .filter((line) => /\*\*missed\*\*|^- missed: /.test(line))
      .map((line) => ({ name, line })),
  );
  expect(missed.length).toBeGreaterThan(10);
  const table = place.exec(limits)?.[0] ?? "";
  const count = (name: string): number => {
    const part = table.split(/\n(?=\[)/).find((text) => text.includes(`](${name}):`)) ?? "";
    return part.split("\n").filter((line) => /^(- |\| (?!-|\s+\| bar))/.test(line)).length;
  };
  for (const name of names) expect([name, count(name)]).toEqual([name, missed.filter((it) => it.name === name).length]);
});
