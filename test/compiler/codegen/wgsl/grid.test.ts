// Launches of more groups than WebGPU has along an axis: the grid is folded, and the groups that it has too many do nothing.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { foldedGrid, gridLines } from "../../../../src/compiler/codegen/wgsl/grid.ts";
import { instantiate, opLibrary, webgpu } from "../../../../src/compiler/index.ts";
import type { GpuDevice } from "../../../../src/native/webgpu/device.ts";
import { noSoftwareGpu, openSoftwareGpu } from "../../../support/webgpu.ts";
import { drawnOnGpu } from "../../../support/webgpu-schedules.ts";

test.each([65_536, 70_001, 2 ** 20 + 7, 65_535 ** 2 / 2 - 0.5, 2 ** 31 - 1])("%i groups", (groups) => {
  const folded = foldedGrid([groups, 1, 1], webgpu);
  for (const extent of folded) expect(extent).toBeLessThanOrEqual(65_535);
  const all = folded[0] * folded[1] * folded[2];
  expect(all).toBeGreaterThanOrEqual(groups);
  // Few do nothing.
  expect(all).toBeLessThan(groups * 1.001);
  const lines = gridLines([groups, 1, 1], folded, ["blockIdx.x"], (name) => name.replace(".", "_"));
  expect(lines[1]).toBe(`if (uk_group >= ${groups}) { return; }`);
});

test("few groups stay as they are", () => {
  expect(foldedGrid([65_535, 3, 2], webgpu)).toEqual([65_535, 3, 2]);
});

test("more groups than an i32 counts are refused", () => {
  expect(() => foldedGrid([2 ** 31, 1, 1], webgpu)).toThrow("a launch has 2147483648 groups");
});

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  let gpu: GpuDevice;
  beforeAll(async () => {
    gpu = await openSoftwareGpu();
  });
  afterAll(() => gpu.device.destroy());

  // A prime number of rows: a group has one of them, whatever the schedule.
  test.each([
    ["rows", opLibrary.softmax({ M: 70_001, N: 3, dtype: "f32" })],
    ["numbers", opLibrary.gemv({ M: 70_001, K: 2, dtype: "f32" })],
  ])("%s", async (_, op) => {
    const { right, refused, wrong } = await drawnOnGpu(gpu, instantiate(op, {}, "op"), { seed: 1, samples: 1 });
    expect({ wrong, refused }).toEqual({ wrong: [], refused: [] });
    expect(right).toBeGreaterThan(0);
  });
});
