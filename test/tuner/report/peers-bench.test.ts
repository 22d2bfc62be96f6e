// Conclusions of `npm run bench` from made-up measurements, and the conversion of arrays to the layouts of libraries.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bars, bestOf, judge, oneThread, wasm } from "../../bench/peers/bars.ts";
import type { Rival } from "../../bench/peers/contest.ts";
import { librariesText } from "../../bench/peers/libraries-text.ts";
import { permuted } from "../../bench/peers/npm/permuted.ts";
import { printReport } from "../../bench/peers/report.ts";
import { limitOf, readResults, type WorkResult } from "../../bench/peers/result.ts";
import { plotName, sectionsOf, titleOf } from "../../bench/peers/section.ts";
import { summaryTable } from "../../bench/peers/summary.ts";
import { attemptsText, timingText, verdictText } from "../../bench/peers/timing.ts";

const rival = (name: string, ratio: number, low = ratio, high = ratio): Rival => ({
  name,
  version: "1",
  medianNs: 1_000 * ratio,
  ratio: { low, median: ratio, high },
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
    expect(bestOf(one, each!.rivals)?.name).toBe("oneDNN");
    const other = result({ name: "128³", rivals: [rival("BLIS", 0.9)] });
    expect(judge(each!, [one, other])).toMatchObject({ reached: 0.9, below: ["128³"], isMet: false });
    expect(judge(mean!, [one, other]).reached).toBeCloseTo(Math.sqrt(1.2 * 0.9));
  });

  test("a ratio that is not steady is in no mean, and named; in the least it counts", () => {
    const small = result({ rivals: [rival("oneDNN", 6, 2.4, 15.9)] });
    const large = result({ name: "512³", rivals: [rival("oneDNN", 1.05, 1.02, 1.5)] });
    expect(judge(mean!, [small, large])).toMatchObject({ reached: 1.05, leftOut: ["64³"], isMet: false });
    expect(judge(each!, [small, large])).toMatchObject({ reached: 1.05, leftOut: [], isMet: true });
    expect(judge(mean!, [small])).toMatchObject({ reached: null, leftOut: ["64³"], isMet: false });
    expect(printReport([small, large], [], "")).toContain(
      "- geometric mean at least 1.08 against the best of OpenBLAS, BLIS, oneDNN: **missed**, 1.05, without 64³, 6.00 (2.40 … 15.90)",
    );
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
    result({ suite: "softmax" }),
    result({ target: "avx2" }),
    result({}),
  ]);
  expect(sections.map(titleOf)).toEqual([
    "f32 products",
    "Softmax",
    "f32 products, avx2",
    "f32 products, 2 threads",
    "f32 products, WASM on Node 20",
    "f32 products, WASM on Node 24",
  ]);
  expect(new Set(sections.map((section) => plotName(section, ""))).size).toBe(6);
});

/** The cells of a Markdown table's rows, head and rule left out. */
const cellsOf = (table: string): readonly (readonly string[])[] =>
  table
    .split("\n")
    .slice(2)
    .map((line) => line.slice(2, -2).split(" | "))
    .map((cells) => cells.map((cell) => cell.trim()));

describe("the summary", () => {
  test("has the mean, the least and the most of each section, our own kernels left out", () => {
    const rivals = [rival("oneDNN", 2), rival(oneThread, 1.9)];
    const table = summaryTable([result({ rivals }), result({ name: "128³", rivals: [rival("oneDNN", 0.5)] })]);
    expect(cellsOf(table)).toEqual([["f32 products", "2", "1.00 (0.50 … 2.00)", "1 each", "–", "oneDNN"]]);
  });

  test("names the works that are in no mean, and on how many works each library was", () => {
    const wide = result({ rivals: [rival("oneDNN", 6, 2.4, 15.9)] });
    const table = summaryTable([wide, result({ name: "128³", rivals: [rival("oneDNN", 1.1), rival("BLIS", 1.2)] })]);
    expect(cellsOf(table)).toEqual([["f32 products", "2", "1.10 (1.10 … 1.10)", "1 each", "64³", "oneDNN, BLIS (1)"]]);
  });

  test("has the means with the worst and with the best attempts", () => {
    const of = (ratio: number): WorkResult => result({ rivals: [rival("oneDNN", ratio)] });
    const table = summaryTable([{ ...of(2), earlier: [of(1.5), of(1.2)] }]);
    expect(cellsOf(table)[0]?.[3]).toBe("3 each: 1.20 … 2.00");
  });

  test("has convolutions by Winograd's algorithm apart from the others", () => {
    const conv = (name: string, template: string, ratio: number): WorkResult =>
      result({ suite: "conv", name, candidate: { template, assignment: {} }, rivals: [rival("oneDNN", ratio)] });
    const table = summaryTable([conv("3×3", "winograd F(4,3): out tiled", 2.5), conv("1×1", "out tiled", 0.9)]);
    expect(cellsOf(table).map((cells) => cells.slice(0, 3))).toEqual([
      ["Convolutions of ResNet-50", "2", "1.50 (0.90 … 2.50)"],
      ["– by Winograd", "1", "2.50 (2.50 … 2.50)"],
      ["– the others", "1", "0.90 (0.90 … 0.90)"],
    ]);
  });
});

test("a work has all its attempts, and rows of softmax and layer normalisation have suites of their own", () => {
  const path = join(mkdtempSync(join(tmpdir(), "results-")), "results.jsonl");
  const rows = [
    result({ medianNs: 2_000 }),
    { ...result({ name: "softmax 512×768" }), suite: "norm" },
    { ...result({ name: "layerNorm 512×768" }), suite: "norm" },
    result({ medianNs: 1_000 }),
  ];
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const read = readResults(path);
  expect(read.map(({ suite, medianNs, earlier = [] }) => [suite, medianNs, earlier.map((it) => it.medianNs)])).toEqual([
    ["gemm", 1_000, [2_000]],
    ["softmax", 1_000, []],
    ["layer-norm", 1_000, []],
  ]);
  expect(printReport(read, [], "")).toMatch(/\| 64³ +\| +524\.3 \| 2: 262\.1 … 524\.3 \|/);
});

test("a timing has its attempts", () => {
  const timing = { suite: "build-time", name: "a", cpu: "a CPU", node: 20, unit: "ms", atMost: null } as const;
  const time = (median: number) => ({ low: median, median, high: median });
  const earlier = [{ ...timing, time: time(41) }];
  expect(attemptsText({ ...timing, time: time(27), earlier })).toBe("2: 27 … 41 ms");
  expect(attemptsText({ ...timing, time: time(27) })).toBe("1");
});

test("libraries are named with the kernels that they chose, and old ones are said to be old", () => {
  const oneDNN = { ...rival("oneDNN", 1), version: "2.6.3-1" };
  const text = librariesText([result({ rivals: [oneDNN, rival("onnxruntime-node", 1)] })]);
  expect(text).toContain("oneDNN are Debian 12's, of 2022");
  expect(text).toContain("Which kernels they chose on this CPU is not recorded in 1 of their 1 times");
  const known = librariesText([result({ rivals: [{ ...oneDNN, chosen: "avx512_core" }] })]);
  expect(known).toContain("oneDNN 2.6.3-1 (avx512_core)");
  expect(known).not.toContain("not recorded");
  expect(librariesText([result({ rivals: [{ ...oneDNN, version: "3.5" }] })])).toBe("Libraries: oneDNN 3.5.");
});

test("dimensions in another order", () => {
  const rows = Float32Array.of(1, 2, 3, 4, 5, 6);
  expect([...permuted(rows, [2, 3], [1, 0])]).toEqual([1, 4, 2, 5, 3, 6]);
  expect([...permuted(rows, [1, 2, 3], [2, 0, 1])]).toEqual([1, 4, 2, 5, 3, 6]);
  expect([...permuted(rows, [2, 3], [0, 1])]).toEqual([...rows]);
});
