// Random operators, random expressions that share values, and random functions of vectors of all widths: what SwiftShader computes of
// their WGSL is what the interpreter does.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateWgsl } from "../../../../src/compiler/codegen/wgsl/generate-wgsl.ts";
import {
  type DType,
  printComputeDef,
  shortWgsl,
  type TypedArray,
  valuesOf,
  webgpu,
} from "../../../../src/compiler/index.ts";
import { interpret } from "../../../../src/compiler/ir/interpret.ts";
import type { LoopFunc } from "../../../../src/compiler/ir/loop-ir.ts";
import { printFunc } from "../../../../src/compiler/ir/print.ts";
import type { GpuDevice } from "../../../../src/native/webgpu/device.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { flatKernel } from "../../../emulated/flat-kernel.ts";
import { drawOperator } from "../../../support/drawn/draw-operator.ts";
import { small } from "../../../support/drawn/drawing.ts";
import { drawn } from "../../../support/long.ts";
import { randomGraph } from "../../../support/random-graph.ts";
import { noSoftwareGpu, openSoftwareGpu, runOnGpu } from "../../../support/webgpu.ts";
import { drawnOnGpu } from "../../../support/webgpu-schedules.ts";
import { randomFlat } from "../wasm/random-flat.ts";

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  let gpu: GpuDevice;
  beforeAll(async () => {
    gpu = await openSoftwareGpu();
  });
  afterAll(() => gpu.device.destroy());

  test.each([
    ["operators", 40, (seed: number) => drawOperator(createRng(seed * 1_000_003), small).def],
    ["expressions that share values", 16, (seed: number) => randomGraph(createRng(seed))],
  ])("random %s", async (_, count, draw) => {
    let right = 0;
    const seeds = drawn([...Array(count).keys()], count / 4);
    for (const seed of seeds) {
      const op = draw(seed);
      // Every second one in the form that pages load.
      const form = seed % 2 === 0 ? shortWgsl : undefined;
      const ran = await drawnOnGpu(gpu, op, { seed, samples: 1, ...(form && { form }) });
      expect(ran.wrong, printComputeDef(op)).toEqual([]);
      for (const refusal of ran.refused) expect(refusal).toMatch(/f64|names \d+ arrays/);
      right += ran.right;
    }
    expect(right).toBeGreaterThan(seeds.length / 2);
  });

  test("random functions of vectors", async () => {
    const others = ["f16", "bf16", "i16", "i8", "u8"] as const;
    const arbitrary = fc.gen().map((gen) => randomFlat(gen, ["f32", "i32", "bool", gen(fc.constantFrom, ...others)]));
    let run = 0;
    for (const func of fc.sample(arbitrary, { seed: 1, numRuns: 40 })) {
      const source = generateWgsl(func, { target: webgpu, numerics: "fast" });
      // SwiftShader takes minutes for the longest.
      if (source.text.length > longest) continue;
      run += 1;
      expect(await wrongFlat(gpu, func, source), printFunc(func)).toBeNull();
    }
    expect(run).toBeGreaterThan(20);
  });
});

const longest = 9000;

/** What is wrong in the results of a flat function; null: nothing. A NaN may be any number, as WGSL has it. */
async function wrongFlat(
  gpu: GpuDevice,
  func: LoopFunc,
  source: Parameters<typeof runOnGpu>[1],
): Promise<string | null> {
  const { inputs, sentinels } = flatKernel("random", func);
  const names = source.parameters.map(({ name }) => name);
  const wanted = interpret(func, Object.fromEntries(inputs.map((array, at) => [names[at]!, array])));
  const arrays = [...inputs, ...sentinels.map((array) => array.slice())];
  const beside = await runOnGpu(gpu, source, arrays);
  if (beside !== null) return beside;
  const outputs = source.parameters.filter(({ role }) => role === "output");
  return (
    outputs
      .map(({ name, dtype }, at) => difference(name, dtype, arrays[inputs.length + at]!, wanted[name]!))
      .find((text) => text !== null) ?? null
  );
}

function difference(name: string, dtype: DType, actual: TypedArray, expected: TypedArray): string | null {
  const [found, wanted] = [valuesOf(dtype, actual), valuesOf(dtype, expected)];
  const isNear = (value: number, at: number): boolean =>
    Number.isNaN(value) || value === found[at] || Math.abs(found[at]! - value) <= 1e-6 * Math.abs(value);
  const at = wanted.findIndex((value, index) => !isNear(value, index));
  return at < 0 ? null : `${name}[${at}] is ${found[at]}, the interpreter gives ${wanted[at]}`;
}
