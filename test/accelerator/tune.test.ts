// GEMM and conv2d of the library, tuned by the cycles that the simulator counts. The measuring process checks each candidate against
// the reference before it is timed, so a result that is not exact never gets a time.

import { expect, test } from "vitest";
import { predictSchedule, tune } from "../../src/api/index.ts";
import { opLibrary } from "../../src/compiler/index.ts";
import { vta } from "./machine.ts";
import "./support/use-vta.ts";

const { conv2d, gemm } = opLibrary;

test.each([
  ["gemm", gemm({ M: 48, N: 64, K: 64, dtype: "i8" }, { bias: true, activation: "relu" })],
  ["conv2d", conv2d({ H: 8, W: 8, C: 16, F: 32, padding: 1, dtype: "i8" })],
])("%s", async (_, op) => {
  const { medianNs, timing, measured, failed, history } = await tune(op, {
    target: "vta",
    budget: { seconds: 600, trials: 12 },
  });
  expect(failed).toBe(0);
  expect(measured).toBeGreaterThan(0);
  // Cycles are exact: all samples are the same, a whole number of them.
  expect(medianNs % vta.nanosecondsPerCycle).toBe(0);
  expect([timing.minNs, timing.p20Ns]).toEqual([medianNs, medianNs]);
  expect(history.improvements.length).toBeGreaterThan(0);
  expect(predictSchedule(op, { target: "vta" })).toBeTruthy();
});
