// Conclusions of `npm run bench` from made-up measurements, and the conversion of arrays to the layouts of libraries.

import { describe, expect, test } from "vitest";
import { againstBest, bars, judge, oneThread, wasm } from "../../bench/peers/bars.ts";
import type { Rival } from "../../bench/peers/contest.ts";
import { permuted } from "../../bench/peers/npm/permuted.ts";
import { plotName, sectionsOf, summaryTable, titleOf } from "../../bench/peers/report.ts";
import { limitOf, type WorkResult } from "../../bench/peers/result.ts";
import { timingText, verdictText } from "../../bench/peers/timing.ts";

const rival = (name: string, ratio: number): Rival => ({
  name,
  version: "1",
  medianNs: 1_000 * ratio,
  ratio: { low: ratio, median: ratio, high: ratio },
});

const result = (parts: Partial<WorkResult>): WorkResult => ({
  suite: "gemm",
  name: "64³",
  cpu: "a CPU",
  target: "avx512",
  threads: 1,
  flops: 2 * 64 ** 3,
  bytes: 1,
  candidate: { template: "C tiled", assignment: {} },
  trials: 1,
  tuneMs: 1,
  medianNs: 1_000,
  rivals: [],
  failures: {},
  peak: { gflops: 100, reading: 10 },
  ...parts,
});

describe("a bar", () => {
  const [each, mean] = bars.filter(({ suite, threads }) => suite === "gemm" && threads === undefined);

  test("is against the fastest of its libraries on each work", () => {
    const one = result({ rivals: [rival("OpenBLAS", 1.5), rival("oneDNN", 1.2), rival("LIBXSMM", 0.5)] });
    expect(againstBest(one, each!.rivals)).toBe(1.2);
    const other = result({ name: "128³", rivals: [rival("BLIS", 0.9)] });
    expect(judge(each!, [one, other])).toMatchObject({ reached: 0.9, below: ["128³"], isMet: false });
    expect(judge(mean!, [one, other]).reached).toBeCloseTo(Math.sqrt(1.2 * 0.9));
  });

  test("counts the works of its target and of its number of threads alone, and none is no success", () => {
    const others = [
      result({ target: wasm, rivals: [rival("OpenBLAS", 2)] }),
      result({ threads: 2, rivals: [rival("OpenBLAS", 2)] }),
    ];
    expect(judge(each!, others)).toMatchObject({ reached: null, isMet: false });
    const onWasm = bars.filter((bar) => bar.suite === "gemm" && bar.target === wasm && bar.rivals.includes("numpy-ts"));
    const one = result({ target: wasm, rivals: [rival("numpy-ts", 1.4)] });
    expect(onWasm.filter((bar) => judge(bar, [one]).isMet).map(({ threads }) => threads)).toEqual([undefined]);
  });
});

test("dot products have the limit of their instruction, where it is known", () => {
  const peak = { gflops: 100, reading: 10, int8: 400, bf16: 0 };
  expect(limitOf(result({ peak }))).toBe(100);
  expect(limitOf(result({ suite: "int8", peak }))).toBe(400);
  expect(limitOf(result({ suite: "int8", target: wasm, peak }))).toBeNull();
  expect(limitOf(result({ suite: "bf16", peak }))).toBeNull();
});

test("a call or a build is judged by its median", () => {
  const timed = { name: "a call", unit: "ns", time: { low: 24, median: 59.8, high: 70 }, atMost: 60 } as const;
  expect(timingText(timed)).toBe("60 (24 … 70) ns");
  expect(verdictText(timed)).toBe("at most 60 ns: met");
  expect(verdictText({ ...timed, atMost: 59 })).toBe("at most 59 ns: **missed**");
  expect(verdictText({ ...timed, atMost: null })).toBe("");
});

test("sections are by target, Node where it matters, threads and suite", () => {
  const sections = sectionsOf([
    result({ target: wasm, node: 24 }),
    result({ target: wasm }),
    result({ node: 24, threads: 2 }),
    result({ suite: "norm" }),
    result({ target: "avx2" }),
    result({}),
  ]);
  expect(sections.map(titleOf)).toEqual([
    "f32 products",
    "Softmax and layer normalisation",
    "f32 products, avx2",
    "f32 products, 2 threads",
    "f32 products, WASM on Node 20",
    "f32 products, WASM on Node 24",
  ]);
  expect(new Set(sections.map((section) => plotName(section, ""))).size).toBe(6);
});

test("the summary has the mean, the least and the most of each section, our own kernels left out", () => {
  const rivals = [rival("oneDNN", 2), rival(oneThread, 1.9)];
  const rows = summaryTable([result({ rivals }), result({ name: "128³", rivals: [rival("oneDNN", 0.5)] })]).split("\n");
  expect(
    rows
      .at(-1)!
      .split("|")
      .map((cell) => cell.trim()),
  ).toEqual(["", "f32 products", "2", "1.00 (0.50 … 2.00)", "oneDNN", ""]);
});

test("dimensions in another order", () => {
  const rows = Float32Array.of(1, 2, 3, 4, 5, 6);
  expect([...permuted(rows, [2, 3], [1, 0])]).toEqual([1, 4, 2, 5, 3, 6]);
  expect([...permuted(rows, [1, 2, 3], [2, 0, 1])]).toEqual([1, 4, 2, 5, 3, 6]);
  expect([...permuted(rows, [2, 3], [0, 1])]).toEqual([...rows]);
});
