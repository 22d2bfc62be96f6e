// C for AVX-512 on an emulated Skylake-X: random schedules of the oracle chain's operators, random flat functions, and
// partial vectors of every type. Results are the reference's, nothing but the arrays is touched, and masked moves are
// among what runs. `npm run test:avx512-emulated`.

import fc from "fast-check";
import { expect, test } from "vitest";
import { targets } from "../../src/compiler/index.ts";
import { partialMoves } from "../compiler/codegen/c/partial-moves.ts";
import { randomFlat } from "../compiler/codegen/wasm/random-flat.ts";
import { toolchain } from "../native/compiled.ts";
import { families } from "../support/random-schedule.ts";
import { chainKernel } from "./chain-kernel.ts";
import { emulatorSkipReason } from "./emulator.ts";
import { flatKernel } from "./flat-kernel.ts";
import { type EmulatedKernel, type EmulatedReport, printEmulatedReport, runEmulated } from "./run-emulated.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("EMULATED_SEED", 1);
const from = setting("EMULATED_FROM", 0);
const count = setting("EMULATED_COUNT", 140);

/** Kernels of one boot. */
const batch = 140;
const timeout = 4 * 3_600_000;

const skipReason = toolchain ? await emulatorSkipReason("corei7_skylake_x") : "no C compiler";
if (skipReason) console.log(`skipped: emulated AVX-512: ${skipReason}`);

async function runAll(kernels: readonly EmulatedKernel[]): Promise<EmulatedReport> {
  const report = await runEmulated(kernels);
  console.log(printEmulatedReport(report));
  expect(report.failures).toEqual([]);
  return report;
}

/** Number of instructions of this name that ran with a mask. */
const maskedThatRan = ({ masked }: EmulatedReport, name: string): number => masked.get(name)?.ran ?? 0;

test.skipIf(skipReason)(`${count} random schedules from number ${from}, seed ${seed}`, { timeout }, async () => {
  for (let at = from; at < from + count; at += batch) {
    const numbers = Array.from({ length: Math.min(batch, from + count - at) }, (_, each) => at + each);
    const kernels = numbers
      .map((number) => chainKernel(seed, number, targets.avx512))
      .filter((kernel) => kernel !== null);
    const report = await runAll(kernels);
    if (numbers.length < batch) continue;
    expect([...report.ran.keys()].sort()).toEqual(families.map(({ name }) => name).sort());
    expect(maskedThatRan(report, "vmovups")).toBeGreaterThan(0);
  }
});

test.skipIf(skipReason)(`random flat functions, seed ${seed}`, { timeout }, async () => {
  const arbitrary = fc.gen().map((gen) => randomFlat(gen));
  const functions = fc.sample(arbitrary, { numRuns: batch, seed });
  await runAll(functions.map((func) => flatKernel("random-flat", func)));
});

test.skipIf(skipReason)("partial vectors of every type", { timeout }, async () => {
  const report = await runAll(partialMoves().map(({ func, inputs }) => flatKernel("partial-move", func, inputs)));
  for (const name of ["vmovupd", "vmovups", "vmovdqu16", "vmovdqu8"])
    expect(maskedThatRan(report, name), name).toBeGreaterThan(0);
});
