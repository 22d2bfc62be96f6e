// Tables and splits as text.

import { expect, test } from "vitest";
import { perfTable } from "../../../src/tuner/report/perf-table.ts";
import { textTable } from "../../../src/tuner/report/text-table.ts";
import { decidingShare, timeSplit } from "../../../src/tuner/report/time-split.ts";
import { createProfiler } from "../../../src/tuner/support/profile.ts";
import { duration, threeDigits } from "../../../src/tuner/support/readable-number.ts";

test("columns of figures are set to the right", () => {
  const rows = [
    ["gemm", "1.5 ms", "12"],
    ["softmax", "–", "> 60"],
  ];
  expect(textTable(["task", "best", "n"], rows)).toBe(`\
| task    |   best |    n |
| ------- | -----: | ---: |
| gemm    | 1.5 ms |   12 |
| softmax |      – | > 60 |`);
});

test("the best beside the predicted schedule", () => {
  const gemm = { task: "gemm", target: "avx2", flops: 2 * 512 ** 3, trials: 96 };
  const rows = [
    { ...gemm, bestNs: 2e6, predictedNs: 2.5e6 },
    { ...gemm, task: "none", bestNs: null, trials: 0, predictedNs: null },
  ];
  expect(perfTable(rows)).toBe(`\
| task | target | best | GFLOP/s | candidates | predicted | GFLOP/s | speed-up |
| ---- | ------ | ---: | ------: | ---------: | --------: | ------: | -------: |
| gemm | avx2   | 2 ms |     134 |         96 |    2.5 ms |     107 |   1.25 × |
| none | avx2   |    – |       – |          0 |         – |       – |        – |`);
});

test("the parts of a tuning, and what deciding costs of it", () => {
  let now = 0;
  const profiler = createProfiler(() => now);
  const spend = (ms: number) => () => {
    now += ms;
  };
  profiler.time("space", spend(100));
  profiler.time("sampling", spend(150));
  profiler.time("training", spend(50));
  profiler.time("build", spend(500));
  profiler.time("run", spend(1200));
  expect(decidingShare(profiler.profile())).toBeCloseTo(0.1);
  expect(timeSplit(profiler.profile())).toBe(`\
space         100 ms   5.0 %  ██
sampling      150 ms   7.5 %  ███
search          0 ns   0.0 %
prediction      0 ns   0.0 %
training       50 ms   2.5 %  █
lowering        0 ns   0.0 %
build         500 ms  25.0 %  ██████████
run            1.2 s  60.0 %  ████████████████████████
all              2 s`);
});

test("numbers with units", () => {
  expect([1, 1234, 1_234_567, 12_345_678_900].map(duration)).toEqual(["1 ns", "1.23 µs", "1.23 ms", "12.3 s"]);
  expect([0.12345, 99.95, 123.4].map(threeDigits)).toEqual(["0.123", "100", "123"]);
});
