// Data that a tuning returns about itself.

import { expect, test } from "vitest";
import { convergencePlot, timeSplit, tune } from "../../src/api/index.ts";
import { opLibrary } from "../../src/compiler/index.ts";

test("the best becomes better, and the time went somewhere", async () => {
  const gemm = opLibrary.gemm({ M: 64, N: 64, K: 64 });
  const budget = { seconds: 600, trials: 16 };
  const { history, profile, measured, elapsedMs } = await tune(gemm, { target: "wasm", budget });
  const { improvements, stopped } = history;
  const times = improvements.map(([, , ns]) => ns);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(improvements[0]![0]).toBe(1);
  expect(improvements.at(-1)![0]).toBeLessThanOrEqual(measured);
  const moments = improvements.map(([, ms]) => ms);
  expect(moments).toEqual(moments.toSorted((a, b) => a - b));
  expect(moments.at(-1)).toBeLessThanOrEqual(elapsedMs);
  // The trials were used up.
  expect(stopped).toBeNull();
  for (const part of ["space", "sampling", "prediction", "training", "lowering", "run"] as const)
    expect(profile[part], part).toBeGreaterThan(0);
  const spent = Object.values(profile).reduce((sum, ms) => sum + ms, 0);
  // Each moment is counted once.
  expect(spent).toBeLessThanOrEqual(elapsedMs);
  expect(timeSplit(profile)).toMatch(/^run .*%/m);
  const series = [{ name: "default", runs: [history] }];
  const plot = convergencePlot({ title: "gemm", bestNs: times.at(-1)!, series, trials: 16, elapsedMs });
  expect(plot).toMatch(/^<svg /);
});
