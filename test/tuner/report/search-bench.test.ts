// Plans, records and conclusions of `npm run bench:search`, from made-up runs.

import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { strategyNames } from "../../../src/tuner/search/strategy/strategy.ts";
import { tuningParts } from "../../../src/tuner/support/profile.ts";
import { barsOf, barText } from "../../bench/search/bars.ts";
import { chosenRuns, comparedStrategies, longFirst, plannedRuns } from "../../bench/search/planned-runs.ts";
import { printReport } from "../../bench/search/print-report.ts";
import { appendResult, readResults } from "../../bench/search/results-file.ts";
import { type Improvement, type RunResult, runKey } from "../../bench/search/run-result.ts";
import { searchTasks } from "../../bench/search/search-task.ts";
import {
  appendSettled,
  candidatesOf,
  keyOf,
  noiseOf,
  readSettled,
  type SettledTimes,
} from "../../bench/search/settled-times.ts";
import { contestsOf, latestCpu, standingsOf } from "../../bench/search/summary.ts";
import { expectGolden } from "../../support/golden.ts";

const plan = { tasks: searchTasks, targets: ["avx2", "wasm"], strategies: strategyNames, seconds: 60 } as const;
const all = plannedRuns(plan);

const candidateOf = (ns: number): Candidate => ({ template: "a", assignment: { ns } });

type Step = readonly [trial: number, elapsedMs: number, ns: number];

/** By what they take in truth; the search saw a tenth more. */
const improvements = (...steps: readonly Step[]): Improvement[] =>
  steps.map(([trial, elapsedMs, ns]) => ({ trial, elapsedMs, ns: ns * 1.1, candidate: candidateOf(ns) }));

/** Settled times of the candidates in these runs, each as fast as its name says. */
const settledOf = (runs: readonly RunResult[]): SettledTimes => ({
  cpu: "some CPU",
  task: "gemm-512",
  target: "wasm",
  finishedAt: "2026-01-01T01:00:00.000Z",
  runs: runs.map(({ finishedAt }) => finishedAt),
  times: Object.fromEntries(candidatesOf(runs).map((candidate) => [keyOf(candidate), candidate.assignment.ns!])),
  predictedNs: 1500,
  noise: 0.013,
});

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
  improvements: improvements([1, 2000, 2000], [4, 5000, 1250], [15, 16_000, 1000]),
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
  winner: candidateOf(1000),
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
    // Each says where it comes from, beside what was measured.
    const measured = expect.objectContaining({ node: process.version });
    expect(readResults(path)).toEqual([
      { ...result, trials: 21, attempts: 2, measured },
      { ...result, seed: 2, attempts: 1, measured },
    ]);
  });
});

test("of one task on one target the last settling counts", () => {
  const folder = mkdtempSync(join(tmpdir(), "search-settled-"));
  const path = join(folder, "settled.jsonl");
  const settled = settledOf([result]);
  appendSettled(path, settled);
  appendSettled(path, { ...settled, cpu: "another" });
  appendSettled(path, { ...settled, noise: 0.5 });
  expect(readSettled(path, "some CPU")).toMatchObject([{ ...settled, noise: 0.5 }]);
  rmSync(folder, { recursive: true });
});

describe("conclusions", () => {
  const slower: RunResult = {
    ...result,
    seed: 2,
    improvements: improvements([2, 3000, 1500]),
    winner: candidateOf(1500),
    invalid: { "timed-out": 5 },
  };
  const long: RunResult = {
    ...result,
    isLong: true,
    seconds: 600,
    improvements: improvements([300, 90_000, 980]),
    winner: candidateOf(980),
  };
  const other = (strategy: RunResult["strategy"], ...steps: readonly Step[]): RunResult => ({
    ...result,
    strategy,
    improvements: improvements(...steps),
    winner: candidateOf(steps.at(-1)![2]),
  });
  const cga = other("cga", [9, 9000, 990]);
  const evolutionary = other("evolutionary", [8, 40_000, 990]);
  const random = other("random", [1, 2000, 3900]);
  const results = [result, slower, long, cga, evolutionary, random];
  const contests = (of: readonly RunResult[]) => contestsOf(of, of.length > 0 ? [settledOf(of)] : [], 60);

  test("candidates and seconds to shares of the best known", () => {
    const [contest] = contests(results);
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
    expect(last!.final).toBeCloseTo(980 / 3900);
  });

  test("settled times count, not those that a search saw", () => {
    // The second only seemed faster than the first.
    const misled: RunResult = {
      ...result,
      improvements: [
        { trial: 1, elapsedMs: 1000, ns: 800, candidate: candidateOf(1600) },
        { trial: 2, elapsedMs: 2000, ns: 790, candidate: candidateOf(1700) },
        { trial: 3, elapsedMs: 3000, ns: 780, candidate: candidateOf(1200) },
      ],
      winner: candidateOf(1100),
    };
    const [contest] = contests([misled]);
    expect(contest!.runs[0]!.improvements.map(({ trial, ns }) => [trial, ns])).toEqual([
      [1, 1600],
      [3, 1200],
    ]);
    expect([contest!.best?.ns, standingsOf(contest!)[0]!.final]).toEqual([1100, 1]);
  });

  test("what is far slower than the best is not measured again", () => {
    const far = { ...result, seed: 2, improvements: improvements([1, 1000, 4500], [2, 2000, 1200]) };
    expect(candidatesOf([result, far]).map(({ assignment }) => assignment.ns)).toEqual([2000, 1250, 1000, 1200]);
    expect(contests([result, far])[0]!.runs[1]!.improvements).toHaveLength(1);
  });

  test("runs after the last settling are in no figure", () => {
    const later: RunResult = { ...result, seed: 2, finishedAt: "2026-01-02T00:00:00.000Z" };
    const [contest] = contestsOf([result, later], [settledOf([result])], 60);
    expect([contest!.runs.length, contest!.unsettled]).toEqual([1, 1]);
    expect(contestsOf([result], [], 60)[0]).toMatchObject({ runs: [], best: null, unsettled: 1 });
  });

  test("noise is how far the halves of the samples lie apart", () => {
    expect(
      noiseOf(
        [
          [100, 105, 130, 105],
          [200, 200],
          [60, 50],
        ],
        0,
      ),
    ).toBeCloseTo(0.05);
    expect(noiseOf([], 0)).toBe(0);
  });

  test("bars", () => {
    const isMet = (of: readonly RunResult[]) => barsOf(contests(of)).map((bar) => bar.isMet);
    expect(isMet([])).toEqual([null, null, null, null]);
    // Late; CGA needs 9 and evolutionary 8; five of 100 timed out.
    expect(isMet(results)).toEqual([false, false, false, true]);
    const quick: RunResult = { ...result, improvements: improvements([9, 9000, 1000]) };
    expect(isMet([quick, cga, other("evolutionary", [9, 1, 990]), random])).toEqual([true, true, true, true]);
    const busy = { ...quick, profile: { ...result.profile, sampling: 5000 } };
    expect(isMet([busy])).toEqual([true, null, true, false]);
  });

  test("times of the machine that ran last", () => {
    const later = "2026-01-02T00:00:00.000Z";
    expect(latestCpu([{ ...result, cpu: "another", finishedAt: later }, result, slower])).toBe("another");
    expect(latestCpu([])).toBe(null);
  });

  test("the report", () => {
    const all = contests(results);
    const page = { cpu: "some CPU", seconds: 60, results, contests: all, bars: barsOf(all), today: "1" };
    const text = printReport(page);
    expect(text).toContain("All are of today's code generator, 1.\nEach run was done once.");
    const again = results.map((run, at) => ({ ...run, attempts: at === 0 ? 3 : 1 }));
    const later = printReport({ ...page, results: again, today: "2" });
    expect(later).toContain(
      `${results.length} of ${results.length} runs are of another code generator than today's, which is 2.`,
    );
    expect(later).toMatch(/They were done `default` 1 to 3 times \(\d+ runs for \d+\); all others once\./);
    expect(tuningParts.every((part) => text.includes(part))).toBe(true);
    expectGolden("search-report", [{ title: "docs/search-bench.md", text }]);
    const few = contests([result, slower]);
    const unfinished = printReport({ cpu: "some CPU", seconds: 60, results, contests: few, bars: [] });
    expect(unfinished).toContain("**Not finished**: on 1 of 1 tasks and targets only one strategy has run so far.");
    expect(text).not.toContain("Not finished");
  });

  test("a bar says where it is missed", () => {
    const [soon] = barsOf(contests(results));
    expect(barText(soon!)).toMatch(/^missed: default reaches .*: 0 of 1; not: gemm-512 wasm never \/ never$/);
  });
});
