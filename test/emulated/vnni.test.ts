// Tensorized GEMMs for AVX-512 VNNI on an emulated Ice Lake: results are the reference's, and the instructions are
// among what runs. `npm run test:avx512-emulated`.

import { expect, test } from "vitest";
import { targets } from "../../src/compiler/index.ts";
import { toolchain } from "../native/compiled.ts";
import { emulatorSkipReason } from "./emulator.ts";
import { printEmulatedReport, runEmulated } from "./run-emulated.ts";
import { type TensorizedCase, tensorizedKernel } from "./tensorized-kernel.ts";

const model = "corei7_icelake_u";
const skipReason = toolchain ? await emulatorSkipReason(model) : "no C compiler";
if (skipReason) console.log(`skipped: emulated VNNI: ${skipReason}`);

const cases: readonly TensorizedCase[] = [
  { intrinsic: "vpdpbusd.512", a: "u8", b: "i8", group: 4 },
  { intrinsic: "vpdpbusd.512.signed", a: "i8", b: "i8", group: 4 },
  { intrinsic: "vpmaddwd.512", a: "i16", b: "i16", group: 2 },
];
const each = 20;

test.skipIf(skipReason)(`${each} GEMMs of each intrinsic`, { timeout: 3_600_000 }, async () => {
  const kernels = cases.flatMap((it, at) =>
    Array.from({ length: each }, (_, number) => tensorizedKernel(it, targets["avx512-vnni"], at * each + number)),
  );
  const report = await runEmulated(kernels, model);
  console.log(printEmulatedReport(report));
  expect(report.failures).toEqual([]);
  for (const name of ["vpdpbusd", "vpmaddwd"]) expect(report.named.get(name)?.ran, name).toBeGreaterThan(0);
});
