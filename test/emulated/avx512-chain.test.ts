// Random schedules of the oracle chain's operators for AVX-512, run by an emulated Skylake-X: each computes what the
// reference does and touches nothing but its arrays, and masked moves are among what runs. `npm run test:avx512-emulated`.

import { expect, test } from "vitest";
import { targets } from "../../src/compiler/index.ts";
import { toolchain } from "../native/compiled.ts";
import { drawCase, families } from "../support/random-schedule.ts";
import { newEmulatedReport, printEmulatedReport, runEmulated } from "./avx512-cases.ts";
import { emulatorSkipReason } from "./emulator.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("EMULATED_SEED", 1);
const from = setting("EMULATED_FROM", 0);
const count = setting("EMULATED_COUNT", 140);

/** Kernels of one boot. */
const batch = 140;

/** For one boot; an emulated instruction takes some 100 ns with the trap after it. */
const bootTimeoutMs = 600_000;

const skipReason = toolchain ? await emulatorSkipReason() : "no C compiler";
if (skipReason) console.log(`skipped: emulated AVX-512: ${skipReason}`);

test.skipIf(skipReason)(
  "schedules for AVX-512 compute what the reference does",
  { timeout: 4 * 3_600_000 },
  async () => {
    const report = newEmulatedReport();
    for (let at = from; at < from + count; at += batch) {
      const numbers = Array.from({ length: Math.min(batch, from + count - at) }, (_, each) => at + each);
      const cases = numbers.map((number) => drawCase(seed, number, [targets.avx512]));
      await runEmulated(report, cases, bootTimeoutMs);
      console.log(printEmulatedReport(report));
      expect(report.failures, "a case alone: npm run test:avx512-emulated -- --seed … --from … --count 1").toEqual([]);
    }
    if (count < batch) return;
    for (const { name } of families) expect(report.compared.get(name), name).toBeGreaterThan(0);
    // Tails of f32, and of bytes and halves.
    for (const name of ["vmovups", "vmovdqu8", "vmovdqu16"])
      expect(report.masked.get(name)?.ran, name).toBeGreaterThan(0);
  },
);
