// The plot of a small case as it is, and what must hold of any.

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { linearAxis, logAxis, roundDown } from "../../../src/tuner/report/axis.ts";
import { medianSteps, reachedAt, type Step, shareAt } from "../../../src/tuner/report/best-so-far.ts";
import { type ConvergencePlot, convergencePlot } from "../../../src/tuner/report/convergence.ts";
import { expectGolden } from "../../support/golden.ts";

const plot: ConvergencePlot = {
  title: "GEMM <512³> & more",
  bestNs: 1000,
  trials: 200,
  elapsedMs: 60_000,
  series: [
    {
      name: "default",
      runs: [
        {
          improvements: [
            [1, 800, 2000],
            [5, 1200, 1250],
            [60, 9000, 1000],
          ],
          stopped: { trial: 96, elapsedMs: 12_000 },
        },
        {
          improvements: [
            [2, 900, 1600],
            [30, 7000, 1050],
          ],
          stopped: null,
        },
      ],
    },
    {
      name: "random",
      runs: [
        {
          improvements: [
            [1, 700, 4000],
            [150, 50_000, 1500],
          ],
          stopped: null,
        },
      ],
    },
    { name: "never ran", runs: [{ improvements: [], stopped: null }] },
  ],
};

test("two panels, a legend, runs and medians", () => {
  expectGolden("convergence-plot", [{ title: "svg", text: convergencePlot(plot).replaceAll("><", ">\n<") }]);
});

test("nothing but text comes of titles and names", () => {
  const svg = convergencePlot({ ...plot, title: '"><script>', series: [{ name: "<b>&", runs: [] }] });
  expect(svg).not.toContain("<script>");
  expect(svg).not.toContain("<b>");
  expect(svg).toContain("&lt;b&gt;&amp;");
});

describe("best so far", () => {
  const steps: readonly Step[] = [
    [1, 0.5],
    [8, 0.9],
    [20, 1],
  ];

  test("share at a position, position of a share", () => {
    expect([0, 1, 7, 8, 100].map((at) => shareAt(steps, at))).toEqual([0, 0.5, 0.5, 0.9, 1]);
    expect([0.4, 0.9, 0.91, 1.1].map((share) => reachedAt(steps, share))).toEqual([1, 8, 20, Number.POSITIVE_INFINITY]);
  });

  const rising = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0.01, max: 1, noNaN: true })), { maxLength: 8 })
    .map((pairs): readonly Step[] => {
      const sorted = pairs.toSorted(([a], [b]) => a - b);
      return sorted.filter(([at, share], k) => sorted.slice(0, k).every(([from, less]) => from < at && less < share));
    });

  test.prop([fc.array(rising, { minLength: 1, maxLength: 5 })])(
    "the median is one of the runs' at each position",
    (runs) => {
      const median = medianSteps(runs);
      for (let at = 1; at <= 50; at++) {
        const shares = runs.map((run) => shareAt(run, at)).sort((a, b) => a - b);
        expect(shareAt(median, at)).toBe(shares[(shares.length - 1) >> 1]);
      }
      for (const [k, [at, share]] of median.entries()) {
        if (k > 0) expect([at > median[k - 1]![0], share > median[k - 1]![1]]).toEqual([true, true]);
      }
    },
  );
});

describe("axes", () => {
  test("marks", () => {
    expect(logAxis(0.2, 60, 100).ticks).toEqual([0.2, 0.5, 1, 2, 5, 10, 20, 50]);
    expect(logAxis(1, 5000, 100).ticks).toEqual([1, 10, 100, 1000]);
    expect(linearAxis(0.4, 1, 0.1, 100).ticks).toEqual([0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    expect([0.034, 1, 7.9, 60].map(roundDown)).toEqual([0.02, 1, 5, 50]);
  });

  test("places, held inside", () => {
    const { place } = logAxis(1, 100, 200);
    expect([0, 1, 10, 100, 1000].map(place)).toEqual([0, 0, 100, 200, 200]);
  });
});
