// C for ARM on an emulated processor: random schedules of the oracle chain's operators, random flat functions, partial vectors of every type.
// Results are the reference's, and nothing but the arrays is touched. `ARM_SEED=7 ARM_COUNT=600 npx vitest run test/arm/chain.test.ts`.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CpuTarget, targets } from "../../src/compiler/index.ts";
import { partialMoves } from "../compiler/codegen/c/partial-moves.ts";
import { randomFlat } from "../compiler/codegen/wasm/random-flat.ts";
import { chainKernel } from "../emulated/chain-kernel.ts";
import { flatKernel } from "../emulated/flat-kernel.ts";
import { type TensorizedCase, tensorizedKernel } from "../emulated/tensorized-kernel.ts";
import { families } from "../support/random-schedule.ts";
import { armSkipReason } from "./arm-node.ts";
import { wrongOnArm } from "./run-on-arm.ts";

const seed = Number(process.env.ARM_SEED ?? 1);
/** Schedules for each target; each operator is drawn in turn. */
const count = Number(process.env.ARM_COUNT ?? 2 * families.length);
const armTargets: readonly CpuTarget[] = [targets.neon, targets["neon-dot"], targets["neon-i8mm"]];
const dots: readonly (TensorizedCase & { readonly target: CpuTarget })[] = [
  { intrinsic: "usdot", a: "u8", b: "i8", group: 4, target: targets["neon-i8mm"] },
  { intrinsic: "sdot", a: "i8", b: "i8", group: 4, target: targets["neon-dot"] },
  { intrinsic: "sdot.unsigned", a: "u8", b: "i8", group: 4, target: targets["neon-dot"] },
  { intrinsic: "udot", a: "u8", b: "u8", group: 4, target: targets["neon-dot"] },
  { intrinsic: "bfdot", a: "bf16", b: "bf16", group: 2, target: targets["neon-i8mm"] },
  { intrinsic: "sadalp", a: "i8", b: "i8", group: 2, target: targets.neon },
  { intrinsic: "uadalp", a: "u8", b: "u8", group: 2, target: targets.neon },
];

describe.skipIf(armSkipReason)("C on emulated ARM", () => {
  test.each(armTargets)(`${count} random schedules for $name, seed ${seed}`, async (target) => {
    const numbers = Array.from({ length: count }, (_, number) => number);
    const kernels = numbers.flatMap((number) => chainKernel(seed, number, target) ?? []);
    expect(kernels.length).toBeGreaterThan(count * 0.9);
    expect(await wrongOnArm(kernels)).toEqual([]);
  });

  test.each(dots)("products by $intrinsic", async ({ target, ...it }) => {
    const kernels = Array.from({ length: 8 }, (_, number) =>
      tensorizedKernel({ ...it, lanes: 4 }, target, seed + number),
    );
    for (const { source } of kernels) expect(source.text).toContain(it.intrinsic.split(".")[0]);
    expect(await wrongOnArm(kernels)).toEqual([]);
  });

  test(`random flat functions, seed ${seed}`, async () => {
    const functions = fc.sample(
      fc.gen().map((gen) => randomFlat(gen)),
      { numRuns: 60, seed },
    );
    expect(await wrongOnArm(functions.map((func) => flatKernel("random-flat", func, undefined, targets.neon)))).toEqual(
      [],
    );
  });

  test("partial vectors of every type", async () => {
    const moves = partialMoves().map(({ func, inputs }) => flatKernel("partial-move", func, inputs, targets.neon));
    expect(await wrongOnArm(moves)).toEqual([]);
  });
});
