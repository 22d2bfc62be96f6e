// The prior of WASM engines by their class: more registers on ARM make larger register tiles.

import { expect, test } from "vitest";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import { type CpuTarget, instantiate, type Target, targets } from "../../../src/compiler/index.ts";
import { machineModels } from "../../../src/tuner/prior/machine-model.ts";
import { machineModelOf } from "../../../src/tuner/prior/ranker.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";

const op = instantiate(gemm, { M: 256, N: 256, K: 256 }, "gemm");

/** Vectors of sums in the predicted register tile. */
function tileOf(target: CpuTarget): number {
  const { assignment } = predict(generateSpace({ op, target, numerics: "fast", threads: 1 }))!;
  const registers = Object.entries(assignment).filter(([name]) => name.endsWith(".register"));
  expect(registers).toHaveLength(2);
  return registers.reduce((product, [, count]) => product * Number(count), 1);
}

test("the classes have models of their own, and the others that of their code generator", () => {
  expect(machineModelOf(targets.wasm)).toBe(machineModels.wasm);
  expect(machineModelOf(targets["wasm-x86"])).toBe(machineModels.wasm);
  expect(machineModelOf(targets.avx2)).toBe(machineModels.c);
  expect(machineModelOf(targets["wasm-arm"])).toMatchObject({ arithmeticPerCycle: 4, loadsPerCycle: 3 });
});

test("engines with relaxed SIMD have the model of their processors, and a register more for sums", () => {
  expect(machineModelOf(targets["wasm-x86-relaxed"])).toBe(machineModels.wasm);
  expect(machineModelOf(targets["wasm-arm-relaxed"])).toBe(machineModelOf(targets["wasm-arm"]));
  const [plain, relaxed] = [tileOf(targets["wasm-x86"]), tileOf(targets["wasm-x86-relaxed"])];
  expect(relaxed).toBeGreaterThan(plain);
  expect(relaxed).toBeLessThan(targets["wasm-x86"].vectorRegisters);
});

test("native code for ARM goes by its core, or by the oldest server's that has the features", () => {
  const perCycle = (target: Target): number => machineModelOf(target).arithmeticPerCycle;
  expect([targets.neon, targets["neon-dot"], targets["neon-i8mm"]].map(perCycle)).toEqual([2, 2, 4]);
  expect(machineModelOf({ ...targets["neon-dot"], core: "apple-p" })).toMatchObject({
    clockGhz: 3.2,
    arithmeticLatency: 4,
  });
});

test("a predicted tile of ARM fills more registers than one of x86", () => {
  const [x86, arm] = [tileOf(targets["wasm-x86"]), tileOf(targets["wasm-arm"])];
  expect(tileOf(targets.wasm)).toBe(x86);
  expect(x86).toBeLessThan(targets.wasm.vectorRegisters);
  expect(arm).toBeGreaterThan(targets.wasm.vectorRegisters);
  expect(arm).toBeLessThan(targets["wasm-arm"].vectorRegisters);
});
