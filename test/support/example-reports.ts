// Reports that the tests of pages open.

import type { KernelReport } from "../../src/plugin/report/report-data.ts";
import { syntheticKernel, withStrategies } from "./synthetic-report.ts";

export const large = syntheticKernel({ name: "src/gemm.op.ts?M=256&tune=avx2", candidates: 5000, hasRoof: true });
export const small = withStrategies(
  syntheticKernel({ name: "src/score.op.ts?tune=wasm", candidates: 60, hasRoof: false }),
);
export const predicted: KernelReport = {
  ...syntheticKernel({ name: "src/blur.op.ts?tune=wasm", candidates: 2, hasRoof: false }),
  ...{
    origin: "predicted",
    measured: null,
    candidates: [],
    tunings: [],
    winner: null,
    default: null,
    againstDefault: null,
  },
};
/** Kernels of one operator, in the order of a report. */
export const shapes = [8, 100, 104, 124].map((M) => {
  const kernel = syntheticKernel({ name: `src/gemm.op.ts?M=${M}&tune=avx2`, candidates: 40 + M, hasRoof: true });
  return { ...kernel, parameters: { M, N: 256, K: 256, dtype: "f32" } };
});
export const failed = { kind: "failed" as const, name: "src/bad.op.ts?tune=wasm", error: "op.throws: <img src=x>" };
