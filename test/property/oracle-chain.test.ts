// Random schedules of GEMM, convolution, softmax and GEMM-exp-GEMM, odd and prime extents included: every stage of the
// compiler computes what the reference does. A run draws its own seed, which is in the test's name; `npm run test:oracle -- --count 1000`
// draws more of them.

import { expect, test } from "vitest";
import { links, newReport, printReport, runCases } from "../support/oracle-chain.ts";
import { drawCase, families } from "../support/random-schedule.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("ORACLE_SEED", Math.floor(Math.random() * 1_000_000));
const from = setting("ORACLE_FROM", 0);
const count = setting("ORACLE_COUNT", 28);

/** Kernels that one addon holds. */
const batch = 28;

test(`schedules of seed ${seed}: each stage computes what the reference does`, { timeout: 4 * 3_600_000 }, async () => {
  const report = newReport();
  for (let at = from; at < from + count; at += batch) {
    const length = Math.min(batch, from + count - at);
    await runCases(
      report,
      Array.from({ length }, (_, each) => drawCase(seed, at + each)),
    );
    if (count > batch) console.log(printReport(report));
    expect(report.failures, "a case alone: npm run test:oracle -- --seed … --from … --count 1").toEqual([]);
  }
  expect(report.rejected, "samples that check refuses").toEqual([]);
  if (count < families.length) return;
  for (const { name } of families) for (const link of links) expect(report.counts.get(name)).toHaveProperty(link);
  for (const link of ["relaxed WASM", "prepared"]) {
    expect([...report.counts.values()].some((links) => link in links)).toBe(true);
  }
});
