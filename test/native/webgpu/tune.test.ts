// GEMM tuned for `webgpu` on SwiftShader: each candidate is run and held against the reference in the measuring process.

import { expect, test } from "vitest";
import { memoryDatabase, predictSchedule, queryOf, tune } from "../../../src/api/index.ts";
import { opLibrary } from "../../../src/compiler/index.ts";
import { noSoftwareGpu } from "../../support/webgpu.ts";

const gemm = opLibrary.gemm({ M: 64, N: 64, K: 64 });

test.skipIf(noSoftwareGpu)(`gemm is tuned on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, async () => {
  const records = memoryDatabase();
  const { medianNs, measured } = await tune(gemm, { target: "webgpu", budget: { seconds: 120, trials: 6 }, records });
  expect(measured).toBeGreaterThan(0);
  expect(medianNs).toBeGreaterThan(0);
  // An emulated GPU on a busy machine may be late; it is never wrong.
  const kinds = records.records(queryOf(gemm, { target: "webgpu" })).map(({ measurement }) => measurement.kind);
  expect(kinds.filter((kind) => kind !== "timed-out")).toEqual(kinds.filter((kind) => kind === "ok"));
});

test("a schedule is predicted without a GPU", () => {
  expect(predictSchedule(gemm, { target: "webgpu" })).toBeTruthy();
});
