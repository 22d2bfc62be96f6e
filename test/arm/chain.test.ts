// C for ARM on an emulated processor: random schedules of the oracle chain's operators, random flat functions, partial vectors of every type.
// Results are the reference's, and nothing but the arrays is touched. `npm run test:arm` draws more.

import fc from "fast-check";
import { describe, expect } from "vitest";
import {
  type ComputeDef,
  type CpuTarget,
  instantiate,
  once,
  opLibrary,
  type TargetName,
  targets,
} from "../../src/compiler/index.ts";
import { partialMoves } from "../compiler/codegen/c/partial-moves.ts";
import { randomFlat } from "../compiler/codegen/wasm/random-flat.ts";
import { chainKernel } from "../emulated/chain-kernel.ts";
import { flatKernel } from "../emulated/flat-kernel.ts";
import type { EmulatedKernel } from "../emulated/run-emulated.ts";
import { sampledKernels, type TensorizedCase, tensorizedKernel } from "../emulated/tensorized-kernel.ts";
import { inTurn } from "../support/long.ts";
import { families } from "../support/random-schedule.ts";
import { armSkipNote, armSkipReason } from "./arm-node.ts";
import { wrongInBatches, wrongOnArm } from "./run-on-arm.ts";

const turn = inTurn(4);

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("ARM_SEED", 1);
const from = setting("ARM_FROM", 0);
/** Schedules for each target; each operator is drawn in turn. */
const count = setting("ARM_COUNT", setting("ARM_PER_OPERATOR", 1) * families.length);
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
  { intrinsic: "usmmla", a: "u8", b: "i8", group: 8, side: 2, target: targets["neon-i8mm"] },
  { intrinsic: "smmla", a: "i8", b: "i8", group: 8, side: 2, target: targets["neon-i8mm"] },
  { intrinsic: "ummla", a: "u8", b: "u8", group: 8, side: 2, target: targets["neon-i8mm"] },
  { intrinsic: "bfmmla", a: "bf16", b: "bf16", group: 4, side: 2, target: targets["neon-i8mm"] },
  { intrinsic: "sadalp", a: "i8", b: "i8", group: 2, target: targets.neon },
  { intrinsic: "uadalp", a: "u8", b: "u8", group: 2, target: targets.neon },
];

/** Schedules of each operator below, from each of its templates. */
const ofEach = setting("ARM_PER_PRODUCT", 2);
const { batchMatmul, conv2d, gemm } = opLibrary;
const productsInRows: readonly ComputeDef[] = [
  instantiate(gemm({ M: 61, N: 83, K: 97, dtype: "i8" }, { bias: true, activation: "relu" }), {}, "gemm_i8"),
  instantiate(gemm({ M: 40, N: 100, K: 130, dtype: "u8", dtypeB: "i8" }), {}, "gemm_u8_i8"),
  instantiate(gemm({ M: 2, N: 3, K: 24, dtype: "u8" }), {}, "gemm_u8"),
  instantiate(gemm({ M: 37, N: 31, K: 64, dtype: "bf16" }), {}, "gemm_bf16"),
  instantiate(gemm({ M: 13, N: 30, K: 36, dtype: "bf16" }, { bias: true, activation: "gelu" }), {}, "gemm_gelu"),
  instantiate(batchMatmul({ batch: 3, M: 19, N: 33, K: 128, dtype: "i8" }), {}, "batch_i8"),
  instantiate(conv2d({ N: 1, H: 7, W: 9, C: 16, F: 11, KH: 1, KW: 1, dtype: "i8" }, { bias: true }), {}, "conv_1x1"),
  instantiate(conv2d({ H: 9, W: 11, C: 16, F: 11, padding: 1, dtype: "i8" }, { bias: true }), {}, "conv_3x3"),
];

/** Kernels of all cases, called in one run, when the first case asks for them. */
function oneRun<T>(cases: readonly T[], draw: (it: T) => readonly EmulatedKernel[]) {
  const all = once(() => cases.map(draw));
  const answers = once(() => wrongInBatches(all()));
  return {
    kernels: (it: T): readonly EmulatedKernel[] => all()[cases.indexOf(it)]!,
    wrong: async (it: T): Promise<readonly string[]> => (await answers())[cases.indexOf(it)]!,
  };
}

describe.skipIf(armSkipReason)(`C on emulated ARM${armSkipNote}`, () => {
  turn.each(armTargets)(`${count} random schedules for $name, seed ${seed}`, { timeout }, async (target) => {
    for (let at = from; at < from + count; at += batch) {
      const numbers = Array.from({ length: Math.min(batch, from + count - at) }, (_, each) => at + each);
      const kernels = numbers.flatMap((number) => chainKernel(seed, number, target) ?? []);
      expect(kernels.length).toBeGreaterThan(numbers.length * 0.9 - 1);
      expect(await wrongOnArm(kernels)).toEqual([]);
    }
  });

  const ofDots = oneRun(dots, ({ target, ...it }) =>
    Array.from({ length: 8 }, (_, number) => tensorizedKernel({ ...it, lanes: 4 }, target, seed + number)),
  );
  turn.each(dots)("products by $intrinsic", async (it) => {
    for (const { source } of ofDots.kernels(it)) expect(source.text).toContain(it.intrinsic.split(".")[0]);
    expect(await ofDots.wrong(it)).toEqual([]);
  });

  const ofProducts = oneRun(productsInRows, (op) =>
    Array.from({ length: ofEach }, (_, at) =>
      sampledKernels(op, "mmla", targets["neon-i8mm"], seed + from + at),
    ).flat(),
  );
  turn.each(productsInRows)("sums in tiles of 2×2: $name", { timeout }, async (op) => {
    const kernels = ofProducts.kernels(op);
    expect(kernels.length).toBeGreaterThanOrEqual(ofEach);
    for (const { source, describe: said } of kernels) expect(source.text, said("")).toContain("mmla %0.4s");
    expect(await ofProducts.wrong(op)).toEqual([]);
  });

  turn(`random flat functions, seed ${seed}`, async () => {
    const functions = fc.sample(
      fc.gen().map((gen) => randomFlat(gen)),
      { numRuns: 60, seed },
    );
    expect(await wrongOnArm(functions.map((func) => flatKernel("random-flat", func, undefined, targets.neon)))).toEqual(
      [],
    );
  });

  turn("partial vectors of every type", async () => {
    const moves = partialMoves().map(({ func, inputs }) => flatKernel("partial-move", func, inputs, targets.neon));
    expect(await wrongOnArm(moves)).toEqual([]);
  });
});
