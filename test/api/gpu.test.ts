// Kernels for GPUs through the program interface: built, loaded, called by their twin and brought to a device, with constants or without.
// WebGPU runs on SwiftShader in this process, CUDA in a program with a driver for tests.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { build, type LoadedKernel, load, predictSchedule } from "../../src/api/index.ts";
import { cudaSm90, instantiate } from "../../src/compiler/index.ts";
import { gemm } from "../../src/compiler/ops/index.ts";
import { packageFile } from "../../src/native/machine/package-file.ts";
import type { GpuDevice } from "../../src/native/webgpu/device.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../src/tuner/constraint/solver/sample.ts";
import type { Candidate } from "../../src/tuner/data/space.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { linkedApp } from "../support/bundled-app.ts";
import { type FakeCuda, makeFakeCuda, noFakeGpu, runProgram } from "../support/cuda.ts";
import { noSoftwareGpu, openSoftwareGpu } from "../support/webgpu.ts";

const [M, N, K] = [32, 40, 48];
const op = gemm({ M, N, K });
const integers = (length: number, salt: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => ((at * 7 + salt) % 11) - 5);
const [A, B] = [integers(M * K, 1), integers(K * N, 2)];
const product = Float32Array.from({ length: M * N }, (_, at) => {
  const [row, column] = [Math.floor(at / N), at % N];
  return Array.from({ length: K }, (_, k) => A[row * K + k]! * B[k * N + column]!).reduce((sum, it) => sum + it);
});

const webgpu = { target: "webgpu" } as const;

test("a kernel for WebGPU answers by its twin, and says which GPU there is none of", async () => {
  const kernel = load(await build(op, predictSchedule(op, webgpu), webgpu));
  expect(kernel(A, B)).toEqual(product);
  expect(await kernel.async(A, B)).toEqual(product);
  expect(kernel.info).toMatchObject({ target: "webgpu", twin: "wasm", parameters: { M, N, K } });
  expect(kernel.info.gpu).toEqual({ adapter: null, reason: expect.any(String) });
  expect(kernel.info.schedule).toContain("bind");
});

test("a kernel without a twin answers no calls", async () => {
  const artifact = await build(op, predictSchedule(op, webgpu), { ...webgpu, fallback: "none" });
  expect(artifact.twin).toBeNull();
  expect(() => load(artifact)(A, B)).toThrow(/kernel.*async/);
});

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  let gpu: GpuDevice;
  beforeAll(async () => {
    gpu = await openSoftwareGpu();
  });
  afterAll(() => gpu.device.destroy());

  test("a kernel runs on a device", async () => {
    const kernel = load(await build(op, predictSchedule(op, webgpu), webgpu));
    const there = await kernel.on(gpu.device);
    const C = there.buffer("C");
    there.run(there.buffer("A", A), there.buffer("B", B), C);
    expect(await there.read("C", C)).toEqual(product);
    there.destroy();
  });

  test("so does one with constants, packed", async () => {
    const options = { ...webgpu, constants: ["B"] } as const;
    const kernel = load(await build(op, predictSchedule(op, options), options));
    const layer = (kernel as LoadedKernel).pack!({ B });
    expect(layer(A)).toEqual(product);
    const there = await (layer as unknown as typeof kernel).on(gpu.device);
    const C = there.buffer("C");
    there.run(there.buffer("A", A), C);
    expect(await there.read("C", C)).toEqual(product);
    there.destroy();
  });
});

test("without a compiler of CUDA C a kernel is printed as PTX", async () => {
  vi.stubEnv("UNPLUGIN_KERNEL_NVRTC", "/nowhere/libnvrtc.so");
  vi.stubEnv("PATH", "/nowhere");
  const options = { target: "cuda-sm80" } as const;
  const artifact = await build(op, predictSchedule(op, options), options);
  const [kernel] = artifact.kind === "cuda" ? artifact.kernels : [];
  expect(kernel!.ptx).toMatch(/^\.version 7\.0\n\.target sm_80\n/);
  expect(kernel).not.toHaveProperty("cubin");
  vi.unstubAllEnvs();
});

describe.skipIf(noFakeGpu !== null)(`a program with CUDA${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
  let fake: FakeCuda;
  beforeAll(() => {
    fake = makeFakeCuda();
  });

  const script = `
import { build, load, predictSchedule } from "unplugin-kernel/api";
import { gemm } from "unplugin-kernel/ops";
const [M, N, K] = [32, 40, 48];
const op = gemm({ M, N, K });
const integers = (length, salt) => Float32Array.from({ length }, (_, at) => ((at * 7 + salt) % 11) - 5);
const [A, B] = [integers(M * K, 1), integers(K * N, 2)];
const isSame = (a, b) => a.length === b.length && a.every((value, at) => value === b[at]);
const told = [];
for (const constants of [[], ["B"]]) {
  const options = { target: "cuda-sm80", ...(constants.length > 0 && { constants }) };
  // An artifact is a text as well.
  const { twin, ...artifact } = await build(op, predictSchedule(op, options), options);
  const kernel = load({ ...JSON.parse(JSON.stringify(artifact)), twin });
  const wanted = kernel(A, B);
  const layer = constants.length > 0 ? kernel.pack({ B }) : kernel;
  const there = await layer.on(kernel.device);
  const C = there.buffer("C");
  const inputs = [["A", A], ["B", B]].filter(([name]) => !constants.includes(name));
  there.run(...inputs.map(([name, values]) => there.buffer(name, values)), C);
  told.push({ name: kernel.device.name, isSame: isSame(await there.read("C", C), wanted), twin: kernel.info.twin });
}
console.log(JSON.stringify(told));
process.exit();`;

  const tuning = `
import { exportBatch, importResults, measure, predictSchedule, runBatch, tune, tuneAll } from "unplugin-kernel/api";
import { gemm } from "unplugin-kernel/ops";
import { readFileSync } from "node:fs";
const op = gemm({ M: 32, N: 40, K: 48 });
const options = { target: "cuda-sm80", seed: 3 };
const records = (name) => new URL(name, import.meta.url).pathname;
const compilers = (name) => [...new Set(readFileSync(records(name), "utf8").trim().split("\\n").map((line) => JSON.parse(line).toolchain))];
const budget = { trials: 3, seconds: 60 };
const tuned = await tune(op, { ...options, budget, records: records("one.jsonl") });
const [both] = await tuneAll([{ op, ...options }], { seconds: 60, budget, records: records("all.jsonl") });
const measured = await measure(op, tuned.schedule, options);
const results = await runBatch(op, exportBatch(op, [predictSchedule(op, options), tuned.schedule], options));
const { added } = importResults(op, results, { ...options, records: records("batch.jsonl") });
console.log(JSON.stringify({
  kinds: [measured.kind, typeof tuned.medianNs, both.kernels.length],
  added,
  compilers: ["one.jsonl", "all.jsonl", "batch.jsonl"].map(compilers),
}));
process.exit();`;

  test("tunes and measures on a GPU, here and in batches, and says which compiler it was by", async () => {
    const root = linkedApp({ "main.mjs": tuning }, { koffi: packageFile("node_modules/koffi") });
    const env = { UNPLUGIN_KERNEL_CUDA: fake.driver, UNPLUGIN_KERNEL_NVRTC: fake.nvrtc };
    expect(await runProgram(join(root, "main.mjs"), env, false)).toEqual({
      kinds: ["ok", "number", 1],
      added: 2,
      compilers: [["NVRTC 13.0"], ["NVRTC 13.0"], ["NVRTC 13.0"]],
    });
  }, 120_000);

  test("builds, loads and runs a kernel on a GPU, with constants and without", async () => {
    const root = linkedApp({ "main.mjs": script }, { koffi: packageFile("node_modules/koffi") });
    const env = { UNPLUGIN_KERNEL_CUDA: fake.driver, UNPLUGIN_KERNEL_NVRTC: fake.nvrtc };
    const answer = { name: "Fake GPU 0", isSame: true, twin: "wasm" };
    expect(await runProgram(join(root, "main.mjs"), env, false)).toEqual([answer, answer]);
  }, 120_000);

  /** Schedule of a product whose operands are copied as boxes, by each group for itself or by two together. */
  const boxed = (isOfCluster: boolean): Candidate => {
    const library = gemm({ M: 256, N: 192, K: 256, dtype: "bf16" });
    const space = generateSpace({
      op: instantiate(library, {}, "op"),
      target: cudaSm90,
      numerics: "fast",
      threads: 1,
    });
    const template = space.templates.find(({ name }) => name.endsWith(isOfCluster ? "persistent" : "by boxes"))!;
    const [model, rng] = [compileModel(template.model), createRng(3)];
    for (;;) {
      const point = sample(model, rng);
      if (point.kind !== "found") throw new Error(point.kind);
      const { assignment } = point;
      if (!isOfCluster || assignment["C.sum.cluster"] === 2) return { template: template.name, assignment };
    }
  };

  test.each([
    ["by boxes", false],
    ["in clusters", true],
  ] as const)(
    "gives launches maps of their arrays, other ones for other memory: %s",
    async (_, isOfCluster) => {
      const root = linkedApp(
        {
          "main.mjs": `
import { build, load } from "unplugin-kernel/api";
import { gemm } from "unplugin-kernel/ops";
const op = gemm({ M: 256, N: 192, K: 256, dtype: "bf16" });
const options = { target: "cuda-sm90" };
const { twin, ...artifact } = await build(op, ${JSON.stringify(boxed(isOfCluster))}, options);
const kernel = load({ ...JSON.parse(JSON.stringify(artifact)), twin });
// 1, 2, 3 and 0, as bf16.
const numbers = [0x3f80, 0x4000, 0x4040, 0];
const values = (length, salt) => Uint16Array.from({ length }, (_, at) => numbers[(at * 7 + salt + (at >> 5)) % 4]);
const there = await kernel.on(kernel.device);
const told = [];
for (const salt of [1, 2]) {
  const [A, B] = [values(256 * 256, salt), values(256 * 192, 2 * salt)];
  const wanted = kernel(A, B);
  const C = there.buffer("C");
  there.run(there.buffer("A", A), there.buffer("B", B), C);
  const found = await there.read("C", C);
  told.push(found.every((value, at) => value === wanted[at]));
}
const [launch] = artifact.kernels[0].launches;
console.log(JSON.stringify([launch.maps.map(({ array }) => array), told, launch.cluster ?? 1]));
process.exit();`,
        },
        { koffi: packageFile("node_modules/koffi") },
      );
      const env = { UNPLUGIN_KERNEL_CUDA: fake.driver, UNPLUGIN_KERNEL_NVRTC: fake.nvrtc };
      const found = await runProgram(join(root, "main.mjs"), env, false);
      const [arrays, told, cluster] = found as [number[], boolean[], number];
      expect(cluster).toBe(isOfCluster ? 2 : 1);
      expect(arrays.toSorted()).toEqual([0, 1]);
      expect(told).toEqual([true, true]);
    },
    120_000,
  );
});
