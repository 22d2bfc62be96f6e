import { describe, expect, test } from "vitest";
import {
  fromCompute,
  instantiate,
  type LoopFunc,
  opLibrary,
  schedule,
  type Trace,
  targets,
} from "../../../src/compiler/index.ts";
import { loopColumns, loopExtractor, loopFeatures } from "../../../src/tuner/cost-model/loop-features.ts";
import { drawPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

const op = instantiate(opLibrary.gemm({ M: 8, N: 32, K: 4, dtype: "f32" }), {}, "gemm");
const nestOf = (trace: Trace): LoopFunc => schedule(fromCompute(op), trace);
/** The amount behind a column. */
const amount = (nest: LoopFunc, column: string): number => 2 ** loopFeatures(nest)[loopColumns.indexOf(column)]! - 1;

const naive = nestOf([]);

describe("loop features of a GEMM 8×32×4 as written", () => {
  test.each<[string, number]>([
    ["stores", 1],
    ["sum of executions", 8 * 32 * 4],
    ["sum of loops", 3],
    ["sum of float muls", 8 * 32 * 4],
    ["sum of float adds", 8 * 32 * 4],
    ["sum of functions", 0],
    ["most innermost extent", 4],
    // C, which the update reads, A and B.
    ["sum of read unique bytes", 4 * (8 * 32 + 8 * 4 + 4 * 32)],
    ["sum of read bytes", 3 * 4 * 8 * 32 * 4],
    ["sum of written unique bytes", 4 * 8 * 32],
    // C stays where it is while k runs.
    ["sum of written reuse count", 4],
    ["sum of written reuse distance", 1],
    ["most vectorized loops", 0],
    ["sum of allocated bytes", 0],
  ])("%s: %d", (column, expected) => {
    expect(amount(naive, column)).toBeCloseTo(expected, 4);
  });
});

describe("loop features see what a schedule changes", () => {
  const [i, j, k] = ["C.i", "C.j", "C.k"];
  const tiled = nestOf([
    { kind: "reorder", loops: [i!, k!, j!] },
    { kind: "split", loop: j!, factors: [4, 8], tail: "perfect" },
    { kind: "vectorize", loop: "C.j.1" },
  ]);

  test("marks and extents of loops", () => {
    expect(amount(tiled, "most vectorized extent")).toBeCloseTo(8, 4);
    expect(amount(tiled, "most innermost extent")).toBeCloseTo(8, 4);
    expect(amount(tiled, "sum of loops")).toBeCloseTo(4, 4);
  });

  test("strides: B is walked along its rows now", () => {
    expect(amount(tiled, "sum of read stride")).toBeLessThan(amount(naive, "sum of read stride"));
    expect(amount(tiled, "sum of read lines")).toBeLessThan(amount(naive, "sum of read lines"));
  });

  test("what is touched in all stays the same", () => {
    for (const column of ["sum of executions", "sum of read unique bytes", "sum of float muls"])
      expect(amount(tiled, column)).toBeCloseTo(amount(naive, column), 4);
  });
});

test("every candidate of a space has a row, the same each time", () => {
  const space = generateSpace({ op, target: targets.wasm, numerics: "fast", threads: 1 });
  const searched = searchSpace(space);
  const rng = createRng(1);
  const points = searched.templates.flatMap((template) => [0, 1, 2].map(() => drawPoint(searched, template, rng, {})!));
  const rows = loopExtractor(space).rows(points);
  expect(rows.columns).toBe(loopColumns.length);
  expect([...rows.data].every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
  for (let row = 0; row < rows.rows; row++) expect(rows.data[row * rows.columns]).toBeGreaterThan(0);
  expect(loopExtractor(space).rows(points)).toEqual(rows);
});
