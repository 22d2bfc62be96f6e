// What `npm run bench:search` plans, keeps and concludes, from made-up runs.

import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { tuningParts } from "../../../src/tuner/profile.ts";
import { strategyNames } from "../../../src/tuner/search/strategy.ts";
import { barsOf, barText } from "../../bench/search/bars.ts";
import { chosenRuns, comparedStrategies, longFirst, plannedRuns } from "../../bench/search/planned-runs.ts";
import { printReport } from "../../bench/search/print-report.ts";
import { appendResult, readResults } from "../../bench/search/results-file.ts";
import { type RunResult, runKey } from "../../bench/search/run-result.ts";
import { searchTasks } from "../../bench/search/search-task.ts";
import { unsteadyRuns } from "../../bench/search/steadiness.ts";
import { contestsOf, mainCpu, standingsOf } from "../../bench/search/summary.ts";
import { expectGolden } from "../../support/golden.ts";

const plan = { tasks: searchTasks, targets: ["avx2", "wasm"], strategies: strategyNames, seconds: 60 } as const;
const all = plannedRuns(plan);

/** 20 candidates in 20 seconds, of which three improve: 2000 → 1250 → 1000 ns. */
const result: RunResult = {
  task: "gemm-512",
  target: "wasm",
  strategy: "default",
  seed: 1,
  seconds: 60,
  isLong: false,
  cpu: "some CPU",
  node: "v20.0.0",
  toolchain: "wasm",
  codegen: "1",
  finishedAt: "2026-01-01T00:00:00.000Z",
  referenceMs: 500,
  startedMs: 1000,
  endedMs: 21_000,
  raceMs: 100,
  overheadMs: 3000,
  ended: "converged",
  trials: 20,
  invalid: {},
  improvements: [
    [1, 2000, 2000],
    [4, 5000, 1250],
    [15, 16_000, 1000],
  ],
  profile: {
    space: 100,
    sampling: 500,
    search: 300,
    prediction: 100,
    training: 100,
    lowering: 900,
    build: 0,
    run: 8000,
  },
  best: { ns: 1000, againNs: 1020 },
  winner: { ns: 1000, againNs: 1020 },
  sentinel: { digest: "a", beforeNs: 1500, afterNs: 1500 },
};

describe("planned runs", () => {
  test("each once; every strategy on two tasks, four on all", () => {
    expect(new Set(all.map((run) => runKey("", run))).size).toBe(all.length);
    const others = strategyNames.length - comparedStrategies.length;
    expect(all.length).toBe(6 * 2 * 4 * 3 + 2 * 2 * others * 3 + 6 * 2);
    for (const strategy of strategyNames) expect(chosenRuns(all, `gemm-512,avx2,1,${strategy}`).length).toBe(1);
  });

  test("seed 1 of those compared first, long runs last or first", () => {
    const isFirst = ({ seed, isLong }: (typeof all)[number]): boolean => seed === 1 && !isLong;
    expect(all.slice(0, 48).every(isFirst)).toBe(true);
    expect(all.slice(-12).every(({ isLong, seconds }) => isLong && seconds === 600)).toBe(true);
    expect(longFirst(all).slice(0, 12)).toEqual(all.slice(-12));
  });

  test("some of them", () => {
    const some = chosenRuns(all, "softmax,conv-1x1,wasm,cga,2");
    expect(some.map(({ task, target, strategy, seed }) => [task, target, strategy, seed])).toEqual([
      ["conv-1x1", "wasm", "cga", 2],
      ["softmax", "wasm", "cga", 2],
    ]);
    expect(chosenRuns(all, "long,gemm-512,avx2").map(({ isLong }) => isLong)).toEqual([true]);
    expect(() => chosenRuns(all, "gemm")).toThrow("nothing is called gemm");
  });
});

describe("the results' file", () => {
  const folder = mkdtempSync(join(tmpdir(), "search-results-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("a torn line is skipped, the last of one run counts", () => {
    const path = join(folder, "in", "results.jsonl");
    expect(readResults(path)).toEqual([]);
    appendResult(path, result);
    appendFileSync(path, JSON.stringify({ ...result, seed: 3 }).slice(0, 40));
    appendResult(path, { ...result, seed: 2 });
    appendResult(path, { ...result, trials: 21 });
    expect(readResults(path)).toEqual([
      { ...result, trials: 21 },
      { ...result, seed: 2 },
    ]);
  });
});

describe("conclusions", () => {
  const comparison = { seconds: 60, drift: 0.1 };
  const slower: RunResult = { ...result, seed: 2, improvements: [[2, 3000, 1500]], invalid: { "timed-out": 5 } };
  const long: RunResult = { ...result, isLong: true, seconds: 600, improvements: [[300, 90_000, 980]] };
  const cga: RunResult = { ...result, strategy: "cga", improvements: [[9, 9000, 990]] };
  const evolutionary: RunResult = { ...result, strategy: "evolutionary", improvements: [[8, 40_000, 990]] };
  const random: RunResult = { ...result, strategy: "random", improvements: [[1, 2000, 4000]] };
  const results = [result, slower, long, cga, evolutionary, random];

  test("candidates and seconds to shares of the best known", () => {
    const [contest] = contestsOf(results, comparison);
    expect(contest!.best?.ns).toBe(980);
    const standings = standingsOf(contest!);
    expect(standings.map(({ strategy }) => strategy)).toEqual([...comparedStrategies]);
    const [first, second, , last] = standings;
    expect(first!.trials.map(({ middle, worst }) => [middle, worst])).toEqual(Array(4).fill([Infinity, Infinity]));
    expect(second!.trials.map(({ middle }) => middle)).toEqual([9, 9, 9, Infinity]);
    expect(second!.seconds[0]).toEqual({ middle: 9, worst: 9 });
    expect(first!.validShare).toBeCloseTo(35 / 40);
    expect(first!.decidingShare).toBeCloseTo(0.1);
    expect(first!.trialsPerSecond).toBeCloseTo(1);
    expect(last!.final).toBeCloseTo(980 / 4000);
  });

  test("runs on an unsteady machine are in no figure", () => {
    const before = { ...result, seed: 2, sentinel: { ...result.sentinel, beforeNs: 1700 } };
    const lucky = { ...result, seed: 3, improvements: [[1, 2000, 500]] as const, best: { ns: 500, againNs: 1000 } };
    const steady = [1, 2, 3, 4].map((seed): RunResult => ({ ...random, seed }));
    expect(unsteadyRuns([before, lucky, ...steady], 0.1)).toEqual([before, lucky]);
    const [contest] = contestsOf([before, lucky, ...steady], comparison);
    expect([contest!.best?.ns, contest!.runs]).toEqual([4000, steady]);
  });

  test("bars", () => {
    const isMet = (of: readonly RunResult[]) => barsOf(contestsOf(of, comparison)).map((bar) => bar.isMet);
    expect(isMet([])).toEqual([null, null, null, null]);
    // Late; CGA needs 9 and evolutionary 8; five of 100 timed out.
    expect(isMet(results)).toEqual([false, false, false, true]);
    const quick: RunResult = { ...result, improvements: [[9, 9000, 1000]] };
    expect(isMet([quick, cga, { ...evolutionary, improvements: [[9, 1, 990]] }, random])).toEqual([
      true,
      true,
      true,
      true,
    ]);
    const busy = { ...quick, profile: { ...result.profile, sampling: 5000 } };
    expect(isMet([busy])).toEqual([true, null, true, false]);
  });

  test("times of the machine that most runs are of", () => {
    expect(mainCpu([{ ...result, cpu: "other" }, result, slower])).toBe("some CPU");
    expect(mainCpu([])).toBe(null);
  });

  test("the report", () => {
    const contests = contestsOf(results, comparison);
    const text = printReport({ ...comparison, cpu: "some CPU", results, contests, bars: barsOf(contests) });
    expect(tuningParts.every((part) => text.includes(part))).toBe(true);
    expectGolden("search-report", [{ title: "docs/search-bench.md", text }]);
  });

  test("a bar says where it is missed", () => {
    const [soon] = barsOf(contestsOf(results, comparison));
    expect(barText(soon!)).toMatch(/^missed: default reaches .*: 0 of 1; not: gemm-512 wasm never \/ never$/);
  });
});
