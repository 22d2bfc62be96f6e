// Machines that are made up: candidates of real spaces with times by other numbers than the default's.

import { describe, expect, test } from "vitest";
import { instantiate, type Op, opLibrary, type Target, targets } from "../../../src/compiler/index.ts";
import { type CalibrationSample, fitMachine } from "../../../src/tuner/prior/calibrate.ts";
import { type MachineModel, machineModels } from "../../../src/tuner/prior/machine-model.ts";
import { predictTotalNs } from "../../../src/tuner/prior/ranker.ts";
import { drawPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { spearman } from "../cost-model/statistics.ts";

const target: Target = { ...targets.avx2, threads: 1 };
const { gemm, sum } = opLibrary;

/** `noise`: octaves, uniform; one in twenty takes eight times as long. */
function samplesOf(
  machine: MachineModel,
  ops: readonly Op[],
  count: number,
  seed: number,
  noise = 0,
): CalibrationSample[] {
  const rng = createRng(seed);
  return ops.flatMap((op) => {
    const space = generateSpace({ op: instantiate(op, {}, "op"), target, numerics: "fast", threads: 1 });
    const searched = searchSpace(space);
    return Array.from({ length: count }, (_, at) => {
      const point = drawPoint(searched, searched.templates[at % searched.templates.length]!, rng, {
        spread: "look-ahead",
      })!;
      const facts = space.facts(point.template.template, point.assignment)!;
      const disturbed = noise > 0 && rng.below(20) === 0 ? 8 : 1;
      const ns = predictTotalNs(facts, target, machine) * 2 ** ((rng.unit() - 0.5) * 2 * noise) * disturbed;
      return { facts, ns };
    });
  });
}

const ops = [
  gemm({ M: 128, N: 128, K: 128, dtype: "f32" }),
  gemm({ M: 384, N: 384, K: 384, dtype: "f32" }),
  sum({ M: 512, N: 2048 }),
];
const planted: MachineModel = {
  ...machineModels.c,
  clockGhz: 4.2,
  arithmeticPerCycle: 1,
  arithmeticLatency: 9,
  l2BytesPerCycle: 12,
  packBytesPerCycle: 6,
  cyclesPerIteration: 4,
};
const held = samplesOf(planted, [gemm({ M: 200, N: 300, K: 250, dtype: "f32" })], 120, 5);
const rho = (machine: MachineModel): number =>
  spearman(
    held.map(({ facts }) => predictTotalNs(facts, target, machine)),
    held.map(({ ns }) => ns),
  );

describe("a calibration", () => {
  test("finds the numbers of a machine that is another", () => {
    const found = fitMachine(samplesOf(planted, ops, 40, 1), target);
    // Rates by the second: cycles are a unit.
    for (const name of ["arithmeticPerCycle", "l2BytesPerCycle", "packBytesPerCycle"] as const) {
      const times = (found[name] * found.clockGhz) / (planted[name] * planted.clockGhz);
      expect(Math.abs(Math.log2(times)), name).toBeLessThan(0.6);
    }
    expect(found.arithmeticLatency / found.clockGhz).toBeCloseTo(9 / 4.2, 0);
  });

  test("orders another shape as that machine does, in spite of noise and outliers", () => {
    const found = fitMachine(samplesOf(planted, ops, 32, 2, 0.2), target);
    expect(rho(found)).toBeGreaterThan(rho(machineModels.c));
    expect(rho(found)).toBeGreaterThan(0.95);
  });

  test("leaves a machine alone that is as expected", () => {
    const found = fitMachine(samplesOf(machineModels.c, ops, 20, 3), target);
    for (const name of Object.keys(found) as (keyof MachineModel)[])
      expect(found[name] / machineModels.c[name]).toBeCloseTo(1, 1);
  });

  test("is the same each time, and the start without samples", () => {
    const samples = samplesOf(planted, ops, 10, 4, 0.3);
    expect(fitMachine(samples, target)).toEqual(fitMachine(samples, target));
    expect(fitMachine([], target)).toBe(machineModels.c);
  });
});
