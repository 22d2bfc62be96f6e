// Random schedules for engines on ARM, whose tiles take more registers than x86 has: their modules are valid by binaryen's reading, and
// every stage of the compiler computes what the reference does, here as there.

import binaryen from "binaryen";
import { expect, test } from "vitest";
import { lower } from "../../src/compiler/backend/lower.ts";
import { generateWasm, targets } from "../../src/compiler/index.ts";
import { newReport, runCases } from "../support/oracle-chain.ts";
import { drawCase, families, isIllegal } from "../support/random-schedule.ts";

const cases = Array.from({ length: 3 * families.length }, (_, at) => drawCase(7, at, [targets["wasm-arm"]]));

function isValid(bytes: Uint8Array): boolean {
  const module = binaryen.readBinary(bytes);
  try {
    module.setFeatures(binaryen.Features.All);
    return module.validate() === 1;
  } finally {
    module.dispose();
  }
}

test("modules for ARM are valid, plain and relaxed", () => {
  for (const { scheduled, target, numerics } of cases) {
    if (isIllegal(scheduled)) continue;
    const flat = lower(scheduled, { target, numerics });
    for (const relaxed of [false, true]) expect(isValid(generateWasm(flat, { relaxed }).bytes)).toBe(true);
  }
});

test("schedules for ARM compute what the reference does", async () => {
  const report = newReport();
  await runCases(report, cases);
  expect(report.failures).toEqual([]);
  expect(report.rejected).toEqual([]);
  expect([...report.targets.keys()]).toEqual(["wasm-arm"]);
});
