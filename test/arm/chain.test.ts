// C for ARM on an emulated processor: random schedules of the oracle chain's operators, random flat functions, partial vectors of every type.
// Results are the reference's, and nothing but the arrays is touched. `npm run test:arm` draws more.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CpuTarget, type TargetName, targets } from "../../src/compiler/index.ts";
import { partialMoves } from "../compiler/codegen/c/partial-moves.ts";
import { randomFlat } from "../compiler/codegen/wasm/random-flat.ts";
import { chainKernel } from "../emulated/chain-kernel.ts";
import { flatKernel } from "../emulated/flat-kernel.ts";
import { type TensorizedCase, tensorizedKernel } from "../emulated/tensorized-kernel.ts";
import { families } from "../support/random-schedule.ts";
import { armSkipNote, armSkipReason } from "./arm-node.ts";
import { wrongOnArm } from "./run-on-arm.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("ARM_SEED", 1);
const from = setting("ARM_FROM", 0);
/** Schedules for each target; each operator is drawn in turn. */
const count = setting("ARM_COUNT", setting("ARM_PER_OPERATOR", 2) * families.length);
const armTargets = (process.env.ARM_TARGETS ?? "neon,neon-dot,neon-i8mm")
  .split(",")
  .map((name): CpuTarget => targets[name as TargetName]);

/** Kernels of one run of the emulated Node. */
const batch = 140;
const timeout = 4 * 3_600_000;
const dots: readonly (TensorizedCase & { readonly target: CpuTarget })[] = [
  { intrinsic: "usdot", a: "u8", b: "i8", group: 4, target: targets["neon-i8mm"] },
  { intrinsic: "sdot", a: "i8", b: "i8", group: 4, target: targets["neon-dot"] },
  { intrinsic: "sdot.unsigned", a: "u8", b: "i8", group: 4, target: targets["neon-dot"] },
  { intrinsic: "udot", a: "u8", b: "u8", group: 4, target: targets["neon-dot"] },
  { intrinsic: "bfdot", a: "bf16", b: "bf16", group: 2, target: targets["neon-i8mm"] },
  { intrinsic: "sadalp", a: "i8", b: "i8", group: 2, target: targets.neon },
  { intrinsic: "uadalp", a: "u8", b: "u8", group: 2, target: targets.neon },
];

describe.skipIf(armSkipReason)(`C on emulated ARM${armSkipNote}`, () => {
  test.each(armTargets)(`${count} random schedules for $name, seed ${seed}`, { timeout }, async (target) => {
    for (let at = from; at < from + count; at += batch) {
      const numbers = Array.from({ length: Math.min(batch, from + count - at) }, (_, each) => at + each);
      const kernels = numbers.flatMap((number) => chainKernel(seed, number, target) ?? []);
      expect(kernels.length).toBeGreaterThan(numbers.length * 0.9 - 1);
      expect(await wrongOnArm(kernels)).toEqual([]);
    }
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
