import { describe, expect, it } from "vitest";
import { type Bar, geometricMean, judge } from "../../bench/peers/bars.ts";
import type { Rival } from "../../bench/peers/contest.ts";
import { printReport } from "../../bench/peers/report.ts";
import type { WorkResult } from "../../bench/peers/result.ts";
import { gemmWorks } from "../../bench/peers/suites/gemm.ts";
import { layerWorks } from "../../bench/peers/suites/layers.ts";
import { suiteNames, type Work, workKey } from "../../bench/peers/work.ts";

const rival = (name: string, median: number): Rival => ({
  name,
  version: "1.0",
  medianNs: 1000 * median,
  ratio: { low: median - 0.1, median, high: median + 0.1 },
});

const result = (name: string, rivals: readonly Rival[], changes: Partial<WorkResult> = {}): WorkResult => ({
  suite: "gemm",
  name,
  cpu: "a CPU",
  target: "avx512",
  threads: 1,
  flops: 50_000,
  bytes: 1_000,
  candidate: { template: "C tiled", assignment: {} },
  trials: 100,
  tuneMs: 10_000,
  medianNs: 1_000,
  rivals,
  failures: {},
  peak: { gflops: 100, reading: 20 },
  ...changes,
});

const bar = (changes: Partial<Bar>): Bar => ({
  suite: "gemm",
  rivals: ["OpenBLAS", "oneDNN"],
  of: "each",
  least: 1,
  ...changes,
});

describe("a bar", () => {
  const results = [
    result("64³", [rival("OpenBLAS", 1.6), rival("oneDNN", 0.9)]),
    result("512³", [rival("OpenBLAS", 1.6)]),
    result("16³", [rival("LIBXSMM", 0.5)]),
    result("of another suite", [rival("oneDNN", 0.1)], { suite: "small" }),
  ];

  it("of each is reached by the least, against the fastest of those that were measured", () => {
    expect(judge(bar({}), results)).toMatchObject({ reached: 0.9, below: ["64³"], isMet: false });
    expect(judge(bar({ least: 0.9 }), results)).toMatchObject({ reached: 0.9, below: [], isMet: true });
  });

  it("of the mean is reached by all together", () => {
    expect(judge(bar({ of: "geometric mean", least: 1.2 }), results)).toMatchObject({ isMet: true });
    expect(judge(bar({ of: "geometric mean", least: 1.2 }), results).reached).toBeCloseTo(1.2, 12);
  });

  it("of two threads is for these alone, and for works of its size", () => {
    const ofTwo = [
      result("64³", [rival("OpenBLAS", 0.5)], { threads: 2, flops: 1000 }),
      result("512³", [rival("OpenBLAS", 1.5)], { threads: 2, flops: 2000 }),
    ];
    expect(judge(bar({ threads: 2 }), [...results, ...ofTwo])).toMatchObject({ reached: 0.5, below: ["64³"] });
    expect(judge(bar({ threads: 2, leastFlops: 2000 }), [...results, ...ofTwo])).toMatchObject({
      reached: 1.5,
      isMet: true,
    });
  });

  it("is not met where nothing was measured", () => {
    expect(judge(bar({ rivals: ["BLIS"] }), results)).toEqual({
      bar: bar({ rivals: ["BLIS"] }),
      reached: null,
      below: [],
      isMet: false,
    });
  });
});

it("a geometric mean takes a half and a double for nothing", () => {
  expect(geometricMean([0.5, 2])).toBeCloseTo(1, 12);
});

it("a report shows losers beside winners, and what was wrong with a library", () => {
  const text = printReport([
    result("64³", [rival("OpenBLAS", 1.6), rival("oneDNN", 0.9)]),
    result("512³", [rival("OpenBLAS", 1.6)], { failures: { oneDNN: "C[0]: 1 instead of 2" } }),
  ]);
  expect(text).toContain("| 64³  |    50.0 |        50 % | C tiled  | 1.60 (1.50 … 1.70) | 0.90 (0.80 … 1.00) |");
  expect(text).toContain(
    "- each at least 1.00 against the best of OpenBLAS, BLIS, oneDNN: **missed**, least 0.90, below in 64³",
  );
  expect(text).toContain("- 512³: oneDNN C[0]: 1 instead of 2");
  expect(text).toContain("Libraries: OpenBLAS 1.0, oneDNN 1.0.");
});

it("the suites have all their works, each by a name of its own", () => {
  const works = suiteNames.flatMap((suite): readonly Work[] => ({ ...gemmWorks, ...layerWorks })[suite] ?? []);
  expect(new Set(works.map(({ suite }) => suite))).toEqual(new Set(suiteNames));
  expect(new Set(works.map(workKey)).size).toBe(works.length);
});
