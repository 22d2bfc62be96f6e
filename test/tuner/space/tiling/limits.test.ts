// Limits of a tiled stage: sums of the data that a cache holds at once, spans of windows, rows that share sets of L1.

import { describe, expect, test } from "vitest";
import { type CpuTarget, instantiate, type Op, opLibrary } from "../../../../src/compiler/index.ts";
import { check } from "../../../../src/tuner/constraint/check.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { type Restrictions, sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { explainSpace } from "../../../../src/tuner/space/explain-space.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";

const { conv2d, gemm } = opLibrary;
const { avx2, avx512 } = frozenTargets;

const spaceOf = (op: Op, target: CpuTarget) =>
  generateSpace({ op: instantiate(op, {}, "op"), target, numerics: "fast", threads: 1 });

/** Variables of random schedules of the operator's first template. */
function drawn(op: Op, target: CpuTarget, restrictions: Restrictions, count = 100) {
  const { model } = spaceOf(op, target).templates[0]!;
  const compiled = compileModel(model);
  const rng = createRng(1);
  return Array.from({ length: count }, () => {
    const result = sample(compiled, rng, { restrictions });
    if (result.kind !== "found") throw new Error(result.kind);
    expect(check(model, result.assignment)).toEqual([]);
    return result.assignment;
  });
}

const isFeasible = (op: Op, target: CpuTarget, restrictions: Restrictions): boolean =>
  sample(compileModel(spaceOf(op, target).templates[0]!.model), createRng(1), { restrictions }).kind === "found";

const square = (extent: number, others: { readonly K?: number } = {}): Op =>
  gemm({ M: extent, N: extent, K: extent, ...others });

describe("what lives in L2 at once", () => {
  const bytes = (name: string) => (values: Readonly<Record<string, number>>) => values[name]!;
  const [panelA, blockA] = [bytes("C.A.panel-bytes"), bytes("C.A.block-bytes")];
  const [panelB, blockB] = [bytes("C.B.panel-bytes"), bytes("C.B.block-bytes")];

  test("with j outside: a block of A, a panel of B and the results of a tile", () => {
    for (const values of drawn(square(1024), avx2, { "C.order": [0] })) {
      const tile = values["C.accumulators"]! * avx2.vectorBytes;
      expect(values["C.l2-bytes"]).toBe(blockA(values) + panelB(values) + tile);
      expect(values["C.l2-bytes"]).toBeLessThanOrEqual(avx2.l2Bytes);
    }
  });

  test("with i outside the block of A is not live there: two panels are", () => {
    const sums = drawn(square(1024), avx2, { "C.order": [1], "C.i.block-tiles": [256, 128, 64, 32] }, 400);
    for (const values of sums) expect(panelA(values) + panelB(values)).toBeLessThanOrEqual(avx2.l2Bytes);
    expect(Math.max(...sums.map((values) => blockA(values) + panelB(values)))).toBeGreaterThan(avx2.l2Bytes);
  });

  test("blocks of B are in L3", () => {
    const sums = drawn(square(1024), avx2, {}, 300).map(blockB);
    expect(Math.max(...sums)).toBeLessThanOrEqual(avx2.l3Bytes);
    expect(Math.max(...sums)).toBeGreaterThan(avx2.l2Bytes);
  });

  test("a cache that holds any panel but not two is no place for a tile", () => {
    const target = { ...avx2, l2Bytes: 4 * 32 * 8 + 4 };
    expect(explainSpace(spaceOf(gemm({ M: 32, N: 32, K: 32 }), target)).detail).toBe(
      [
        "no schedule satisfies all of these:",
        `  - a panel of A (i × k) and a panel of B (j × k) fit ${target.l2Bytes} bytes of L2 together`,
      ].join("\n"),
    );
  });
});

test("a window's span counts what it covers once", () => {
  for (const values of drawn(conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }), avx2, {})) {
    const rows = (axis: string): number => values[`out.${axis}.block`]! + 2;
    const image = rows("y") * rows("x") * values["out.rc.block"]! * values["out.n.block"]!;
    expect(values["out.image.block-bytes"]).toBe(4 * image);
  }
});

describe("rows that share sets of L1", () => {
  const tile = { "C.i.register": [10], "C.j.register": [1] };

  test("are packed where they are more than a set has ways", () => {
    expect(isFeasible(square(1024), avx2, { ...tile, "C.pack.A": [0] })).toBe(false);
    expect(isFeasible(square(1024), avx2, { ...tile, "C.pack.A": [1] })).toBe(true);
    expect(isFeasible(square(1024), avx2, { "C.i.register": [8], "C.pack.A": [0] })).toBe(true);
  });

  test("may lie where they are when they are not a power of two apart, or the sets hold them", () => {
    expect(isFeasible(square(1024, { K: 1000 }), avx2, { ...tile, "C.pack.A": [0] })).toBe(true);
    expect(isFeasible(square(1024, { K: 512 }), avx2, { ...tile, "C.pack.A": [0] })).toBe(true);
    expect(isFeasible(square(1024), avx512, { "C.i.register": [12], "C.pack.A": [0] })).toBe(true);
  });

  test("the limit says what lies how far apart", () => {
    const whys = spaceOf(square(1024), avx2).templates[0]!.model.constraints.map(({ why }) => why);
    expect(whys).toContain("unpacked rows of A, 4096 bytes apart, share sets of L1 that hold 8 of them");
  });
});
