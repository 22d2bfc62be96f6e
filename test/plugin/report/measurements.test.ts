// Records → candidates and tunings of a report.

import { expect, it } from "vitest";
import { measurementsOf, tuningsOf } from "../../../src/plugin/report/measurements.ts";
import type { Measurement } from "../../../src/tuner/data/measurement.ts";
import { recordSchema, type TuningRecord } from "../../../src/tuner/data/record.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { noProfiler } from "../../../src/tuner/support/profile.ts";
import { type LoggedTuning, tuningSchema } from "../../../src/tuner/tuning/tuning-log.ts";

const where = { task: "ab".repeat(32), targetClass: "wasm", toolchain: "wasm", codegen: "17" };

const record = (candidate: Candidate, measurement: Measurement, trial: number): TuningRecord => {
  return { schema: recordSchema, ...where, family: null, extents: null, facts: null, candidate, measurement, trial };
};
const ran = (minNs: number): Measurement => {
  return { kind: "ok", timing: { medianNs: minNs * 1.1, minNs, p20Ns: minNs, repeats: 3 } };
};
const [fast, plain, other]: [Candidate, Candidate, Candidate] = [
  { template: "tiled", assignment: { i: 4, j: 8 } },
  { template: "tiled", assignment: { i: 1, j: 1 } },
  { template: "rows", assignment: { k: 2 } },
];
const records = [
  record(plain, ran(400), 0),
  record(other, { kind: "crashed", reason: "unreachable" }, 1),
  record(fast, ran(220), 2),
  record(fast, ran(200), 3),
  record(other, { kind: "timed-out", deadlineMs: 600 }, 4),
];

it("candidates are in their order, with their template's tunables, and failures with their reasons", () => {
  const { templates, candidates } = measurementsOf(records, fast, plain);
  expect(templates).toEqual([
    { name: "tiled", tunables: ["i", "j"] },
    { name: "rows", tunables: ["k"] },
  ]);
  expect(candidates.slice(0, 2)).toEqual([
    { template: 0, values: [1, 1], ns: 400, status: "ok", reason: null },
    { template: 1, values: [2], ns: null, status: "crashed", reason: "unreachable" },
  ]);
  expect(candidates[4]).toMatchObject({ status: "timed-out", reason: "not done after 600 ms" });
});

it("the winner is its fastest record, and is compared with the default's, the first record too", () => {
  expect(measurementsOf(records, fast, plain)).toMatchObject({
    winner: 3,
    default: 0,
    againstDefault: { winnerNs: 200, defaultNs: 400 },
  });
});

it("what was not measured, or failed, is compared with nothing", () => {
  const unknown = { template: "tiled", assignment: { i: 2, j: 2 } };
  expect(measurementsOf(records, fast, unknown)).toMatchObject({ winner: 3, default: null, againstDefault: null });
  expect(measurementsOf(records, fast, other)).toMatchObject({ default: 1, againstDefault: null });
  expect(measurementsOf([], fast, plain)).toMatchObject({ candidates: [], winner: null, default: null });
});

it("records of a tuning that was not logged tell how the best became better, without times of the clock", () => {
  expect(tuningsOf(records, [])).toEqual([
    {
      strategy: null,
      ended: null,
      measured: 5,
      elapsedMs: null,
      improvements: [
        [1, null, 400],
        [3, null, 220],
        [4, null, 200],
      ],
      timeSplit: null,
    },
  ]);
  expect(tuningsOf([], [])).toEqual([]);
});

it("logged tunings are told as they were, each for itself", () => {
  const logged: LoggedTuning = {
    schema: tuningSchema,
    ...where,
    strategy: "default",
    ended: "converged",
    measured: 5,
    elapsedMs: 50,
    history: { improvements: [[1, 10, 400]], stopped: null },
    profile: { ...noProfiler.profile(), run: 30, lowering: 5 },
  };
  const [first, second] = tuningsOf(records, [
    logged,
    { ...logged, strategy: "random", profile: noProfiler.profile() },
  ]);
  expect(first).toMatchObject({ strategy: "default", ended: "converged", improvements: [[1, 10, 400]] });
  expect(first!.timeSplit).toContainEqual({ part: "run", ms: 30 });
  expect(second).toMatchObject({ strategy: "random", timeSplit: null });
});
