// Pages that benches write are what their report commands make of the committed rows, and say how old these are. Nothing is measured here.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { readResults } from "../bench/peers/result.ts";
import { readTimings } from "../bench/peers/timing.ts";
import { writeReports } from "../bench/peers/write-report.ts";
import { readResults as readRuns } from "../bench/search/results-file.ts";
import { readSettled } from "../bench/search/settled-times.ts";
import { writeReport } from "../bench/search/write-report.ts";

const repository = resolve(import.meta.dirname, "../..");
const committed = join(repository, "docs");
const rows = (name: string): string => join(repository, "test/bench", name);

/** Each page with what writes it again, into a folder of this test. */
const reports: Readonly<Record<string, (docs: string) => void>> = {
  "npm run bench -- --report": (docs) =>
    writeReports(readResults(rows("peers/results.jsonl")), readTimings(rows("peers/timings.jsonl")), docs),
  "npm run bench:search -- --report": (docs) => {
    vi.spyOn(console, "log").mockReturnValue();
    const times = (cpu: string) => readSettled(rows("search/settled.jsonl"), cpu);
    writeReport({ results: readRuns(rows("search/results.jsonl")), times, seconds: 60, docs });
    vi.restoreAllMocks();
  },
};

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe.each(Object.entries(reports))("%s", (command, write) => {
  const docs = mkdtempSync(join(tmpdir(), "pages-"));
  folders.push(docs);
  write(docs);
  const names = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => /\.(md|svg)$/.test(name));
  const pages = names.filter((name) => name.endsWith(".md"));

  test("writes pages and plots", () => {
    expect(pages.length).toBeGreaterThan(0);
    expect(names.length).toBeGreaterThan(pages.length);
  });

  test.each(names)("would not change docs/%s", (name) => {
    const isEqual = readFileSync(join(docs, name), "utf8") === readFileSync(join(committed, name), "utf8");
    expect(isEqual, `${command} writes it anew`).toBe(true);
  });

  test("has no plot in docs/plots that it does not write", () => {
    const [prefix] = /^[a-z]+-/.exec(pages.map((name) => name.replace(/^peers\.md$/, "peers-")).sort()[0]!)!;
    const own = readdirSync(join(committed, "plots")).filter((name) => name.startsWith(prefix));
    expect(own.filter((name) => !names.includes(join("plots", name)))).toEqual([]);
  });

  test.each(pages)("docs/%s says how old its rows are", (name) => {
    expect(readFileSync(join(docs, name), "utf8")).toMatch(
      /Measured from \d{4}-\d\d-\d\d|were measured before rows had a date/,
    );
  });
});
