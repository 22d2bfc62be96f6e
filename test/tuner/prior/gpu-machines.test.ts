// The prior of GPUs by their class: what their makers publish shapes what a tuning on one begins with.

import { describe, expect, test } from "vitest";
import {
  type AcceleratorTarget,
  type GpuClass,
  gpuClasses,
  instantiate,
  type Op,
  opLibrary,
  targetForGpu,
  targetNamed,
  webgpu,
} from "../../../src/compiler/index.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { gpuMachineOf } from "../../../src/tuner/prior/gpu-machines.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";

const { gemm, gemv, layerNorm, softmax } = opLibrary;

const targetOf = (gpu: GpuClass): AcceleratorTarget => targetNamed(targetForGpu(webgpu, gpu)!) as AcceleratorTarget;

const predicted = (op: Op, target: AcceleratorTarget): Candidate =>
  predict(generateSpace({ op: instantiate(op, {}, "op"), target, numerics: "fast", threads: 1 }))!;

/** Product of the decisions whose names end so. */
const decided = ({ assignment }: Candidate, ...endings: readonly string[]): number =>
  Object.entries(assignment)
    .filter(([name]) => endings.some((ending) => name.endsWith(ending)))
    .reduce((product, [, value]) => product * value, 1);

test("each class has numbers of its own, all of them positive but for what a CPU does not wait for", () => {
  const small = gpuMachineOf(webgpu);
  for (const gpu of gpuClasses) {
    const machine = gpuMachineOf(targetOf(gpu));
    expect(machine, gpu).not.toEqual(small);
    expect(Object.keys(machine)).toEqual(Object.keys(small));
    const free = Object.entries(machine).flatMap(([name, value]) => (value > 0 ? [] : [name]));
    expect(free).toEqual(gpu === "software" ? ["latency", "barrierLatency", "missShare"] : []);
  }
});

test("a target of nobody's class is a small GPU", () => {
  expect(gpuMachineOf({ name: "webgpu-other" })).toBe(gpuMachineOf(webgpu));
});

describe("what is predicted", () => {
  test("a row has threads that go together, so that they need not meet", () => {
    for (const op of [softmax({ M: 1024, N: 1024 }), layerNorm({ M: 1024, N: 1024 })]) {
      const candidate = predicted(op, webgpu);
      expect(candidate.template).toContain("kept in registers as vectors");
      expect(decided(candidate, ".row-threads", ".group-rows")).toBe(gpuMachineOf(webgpu).lanes);
    }
  });

  test("threads of a product with a vector have several rows", () => {
    expect(predicted(gemv({ M: 1024, K: 1024 }), webgpu).template).toBe("y by rows, several a thread");
  });

  test("a small GPU copies operands of a large product", () => {
    expect(predicted(gemm({ M: 1024, N: 1024, K: 256 }), webgpu).template).toContain("operands in their group");
  });

  test("a CPU copies nothing, and has few threads a row", () => {
    const software = targetOf("software");
    expect(predicted(gemm({ M: 512, N: 512, K: 512 }), software).template).toBe("C in tiles of threads");
    expect(decided(predicted(softmax({ M: 1024, N: 1024 }), software), ".row-threads")).toBeLessThanOrEqual(8);
  });

  test("groups are no smaller than what goes together", () => {
    for (const gpu of gpuClasses) {
      const candidate = predicted(gemm({ M: 1024, N: 1024, K: 256 }), targetOf(gpu));
      expect(decided(candidate, ".threads"), gpu).toBeGreaterThanOrEqual(gpuMachineOf(targetOf(gpu)).lanes);
    }
  });
});
