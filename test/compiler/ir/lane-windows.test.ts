// Lanes and the runs of memory that they are picked from: every lane is in a run at its place, and no run leaves the buffer.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { add, constInt, mul, variable } from "../../../src/compiler/ir/build.ts";
import { runsOf, windowsOf } from "../../../src/compiler/ir/lane-windows.ts";
import type { Expr } from "../../../src/compiler/ir/loop-ir.ts";
import { rangesOf } from "../../../src/compiler/ir/ranges.ts";

const strided = (lanes: number, stride: number): readonly number[] =>
  Array.from({ length: lanes }, (_, lane) => lane * stride);

describe("runs", () => {
  test("are as long as there are lanes, and the last ends with the last lane", () => {
    expect(runsOf(strided(4, 3))).toEqual({ width: 4, starts: [0, 6], picks: [0, 3, 4, 7] });
    expect(runsOf(strided(8, 2))).toMatchObject({ width: 8, starts: [0, 7] });
  });

  test("are shorter where lanes are neighbours again and again", () => {
    expect(runsOf([0, 0, 1, 1, 2, 2, 3, 3])).toEqual({ width: 4, starts: [0], picks: [0, 0, 1, 1, 2, 2, 3, 3] });
  });

  test("are single elements where these are few, and are none where lanes lie far apart", () => {
    expect(runsOf([0, 1, 2, 0, 1, 2, 0, 1])).toEqual({ width: 1, starts: [0, 1, 2], picks: [0, 1, 2, 0, 1, 2, 0, 1] });
    expect(runsOf(strided(8, 100))).toBeNull();
  });

  test("have every lane at its place, and no element in front of the buffer or behind it", () => {
    const offsets = fc.array(fc.integer({ min: 0, max: 70 }), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(offsets, fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 90 }), (drawn, before, more) => {
        const least = Math.min(...drawn);
        const lanes = drawn.map((it) => it - least);
        const behind = Math.max(...lanes) + 1 + more;
        const runs = runsOf(lanes, { before, behind });
        if (!runs) return;
        const places = runs.picks.map((pick) => runs.starts[Math.floor(pick / runs.width)]! + (pick % runs.width));
        expect(places).toEqual(lanes);
        for (const start of runs.starts) {
          expect(start).toBeGreaterThanOrEqual(-before);
          expect(start + runs.width).toBeLessThanOrEqual(behind);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("windows of indices", () => {
  const i = variable("i");
  const room = { length: 64, ranges: rangesOf([{ name: "i", extent: 4 }]) };
  const indices = (first: number): readonly Expr[] =>
    strided(8, 2).map((lane) => add(mul(i, constInt(16)), constInt(first + lane)));

  test("even and odd elements share their runs, where the buffer has as many", () => {
    const [even, odd] = [windowsOf(indices(0), room)!, windowsOf(indices(1), room)!];
    expect(even.runs).toMatchObject({ starts: [0, 8], picks: [0, 2, 4, 6, 8, 10, 12, 14] });
    expect(odd.runs).toMatchObject({ starts: [-1, 7], picks: [1, 3, 5, 7, 9, 11, 13, 15] });
  });

  test("end with the last lane where nothing is known of the buffer", () => {
    expect(windowsOf(indices(1), null)!.runs.starts).toEqual([0, 7]);
  });

  test("there are none where distances depend on a loop", () => {
    const far = [i, add(i, constInt(1)), mul(i, constInt(3)), mul(i, constInt(4))];
    expect(windowsOf(far, room)).toBeNull();
  });
});
