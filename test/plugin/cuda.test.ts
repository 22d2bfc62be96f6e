// `?tune=cuda-sm90` through the plugin, on a driver and a compiler for tests: built, locked, built again from lock and store, and run where
// there is a GPU, where there is none, and where one fails.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { cudaSm80, instantiate, opLibrary } from "../../src/compiler/index.ts";
import { cudaState } from "../../src/native/cuda/loader.ts";
import type { Mode } from "../../src/plugin/options/types.ts";
import { predict } from "../../src/tuner/search/predict.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { type FakeCuda, gemmApp, makeFakeCuda, noFakeGpu, runProgram } from "../support/cuda.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

const without = noFakeGpu ? ` (${noFakeGpu})` : "";
const here = await cudaState();
let fake: FakeCuda;
beforeAll(() => {
  if (noFakeGpu === null) fake = makeFakeCuda();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Tells what a program finds out of a kernel: both ways to call it, who answered, and why. */
const tell = `
const soon = [...gemm(A, B)];
await gemm.ready();
const first = [...(await gemm.async(A, B))];
const later = [...(await gemm.async(A, B))];
const wrong = soon.filter((value, at) => value !== first[at] || value !== later[at]).length;
const { twin, target, gflops, gpu } = gemm.info;
console.log(JSON.stringify({ wrong, twin, target, isMeasured: gflops !== null, ...gpu }));
process.exit();`;

interface Options {
  readonly mode?: Mode;
  readonly by?: "rollup" | "esbuild";
  readonly platform?: "node" | "browser";
}

interface Built {
  readonly lines: readonly string[];
  readonly code: string;
  readonly file: string;
}

async function build(root: string, { mode = "tune", by = "rollup", platform = "node" }: Options = {}): Promise<Built> {
  const said = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
  for (const spy of said) spy.mockImplementation(() => undefined);
  const [input, file] = [join(root, "src/main.js"), join(root, "out/main.mjs")];
  try {
    if (by === "rollup") {
      const bundle = await rollup({ input, plugins: [kernelPlugin.rollup({ root, mode })] });
      await bundle.write({ file, format: "es" });
      await bundle.close();
    } else {
      const plugins = [kernelPlugin.esbuild({ root, mode })];
      await esbuild({ entryPoints: [input], outfile: file, bundle: true, format: "esm", platform, plugins });
    }
    const lines = said.flatMap(({ mock }) => mock.calls.map(([line]) => String(line)));
    return { lines, code: readFileSync(file, "utf8"), file };
  } finally {
    for (const spy of said) spy.mockRestore();
  }
}

/** The environment of a machine with the compiler, and with a GPU or without. */
function machine(has: { readonly nvrtc?: boolean; readonly gpu?: boolean }): void {
  vi.stubEnv("UNPLUGIN_KERNEL_NVRTC", has.nvrtc ? fake.nvrtc : "/nowhere");
  vi.stubEnv("UNPLUGIN_KERNEL_CUDA", has.gpu ? fake.driver : "/nowhere");
  // No nvcc.
  vi.stubEnv("PATH", "/usr/bin:/bin");
}

const right = { wrong: 0, target: "cuda-sm90", twin: expect.stringMatching(/^wasm/) };
const onGpu = { ...right, adapter: "Fake GPU 0", reason: null };

const lockOf = (root: string): { kernels: Record<string, { target: object; measured: object | null }> } =>
  JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8"));

describe.skipIf(noFakeGpu !== null)(`a build${without}`, () => {
  turn.each(["rollup", "esbuild"] as const)("by %s, predicted without a GPU, runs on one", async (by) => {
    machine({ nvrtc: true });
    const root = gemmApp("cuda-sm90", tell);
    const { lines, file, code } = await build(root, { by });
    expect(lines).toEqual([
      expect.stringMatching(
        /gemm\.op\.ts\?tune=cuda-sm90: there is no CUDA driver \(.*\); it gets the predicted schedule/,
      ),
      expect.stringMatching(/1 kernel predicted, 0 measured, 1 compiler run/),
    ]);
    expect(() => lockOf(root)).toThrow("ENOENT");
    expect(code).toMatch(/\.version 7\.8\\n\.target sm_90\\n/);
    const answer = await runProgram(file, { UNPLUGIN_KERNEL_CUDA: fake.driver });
    expect(answer).toEqual({ ...onGpu, isMeasured: false });
  });

  turn("is tuned where there is a GPU, locked, and frozen: the same code, and no compiler", async () => {
    machine({ nvrtc: true, gpu: true });
    const root = gemmApp("cuda-sm90&trials=2", tell);
    const first = await build(root);
    expect(first.lines.at(-1)).toMatch(/1 kernel tuned, [1-9]\d* measured, 1 compiler run/);
    expect(lockOf(root).kernels).toEqual({
      "src/gemm.op.ts?tune=cuda-sm90": expect.objectContaining({
        target: expect.objectContaining({ name: "cuda-sm90", backend: "cuda" }),
        measured: expect.objectContaining({ trials: 2, toolchain: "NVRTC 13.0" }),
      }),
    });
    machine({});
    const again = await build(root, { mode: "frozen" });
    expect(again.lines).toEqual([
      expect.stringMatching(/1 kernel from kernels\.lock\.json, 0 measured, 0 compiler runs/),
    ]);
    expect(again.code).toBe(first.code);
    expect(await runProgram(again.file, { UNPLUGIN_KERNEL_CUDA: fake.driver })).toEqual({ ...onGpu, isMeasured: true });
  });

  test("that is frozen misses what the lock lacks", async () => {
    machine({ nvrtc: true });
    await expect(build(gemmApp("cuda-sm80", tell), { mode: "frozen" })).rejects.toThrow(
      /frozen\.miss: src\/gemm\.op\.ts\?tune=cuda-sm80 is not in kernels\.lock\.json/,
    );
  });

  turn("takes the PTX of the store where there is no compiler", async () => {
    machine({ nvrtc: true });
    const root = gemmApp("cuda-sm80", tell);
    const first = await build(root);
    expect(first.lines.at(-1)).toMatch(/1 compiler run\b/);
    machine({});
    const again = await build(root);
    expect(again.lines.at(-1)).toMatch(/1 kernel predicted, 0 measured, 0 compiler runs/);
    expect(again.code).toBe(first.code);
    expect(again.code).toContain(".version 7.0\\n.target sm_80\\n");
  });

  turn.each(["", "&fallback=none"])("without compiler prints PTX once%s", async (options) => {
    machine({});
    const root = gemmApp(`cuda-sm90${options}`, tell);
    const first = await build(root);
    expect(first.lines).toEqual([
      expect.stringContaining("it gets the predicted schedule"),
      expect.stringMatching(/1 kernel predicted, 0 measured, 0 compiler runs/),
    ]);
    expect(first.code).toContain(".version 7.8\\n.target sm_90\\n");
    expect((await build(root)).code).toBe(first.code);
  });

  turn("takes what a compiler has made rather than what was printed", async () => {
    machine({});
    const root = gemmApp("cuda-sm80", tell);
    const printed = await build(root);
    machine({ nvrtc: true });
    const compiled = await build(root);
    expect(compiled.lines.at(-1)).toMatch(/1 compiler run\b/);
    expect(compiled.code).not.toBe(printed.code);
    machine({});
    expect((await build(root)).code).toBe(compiled.code);
  });

  turn("in mode off is the plain loops, with the members of such kernels", async () => {
    machine({});
    const script = `const { twin, gpu } = gemm.info;
console.log(JSON.stringify({ twin, first: gemm(A, B)[0], index: gemm.device.index, reason: gpu.reason }));`;
    const { file } = await build(gemmApp("cuda-sm90", script), { mode: "off" });
    expect(await runProgram(file, { UNPLUGIN_KERNEL_CUDA: undefined })).toEqual({
      ...{ twin: "reference", first: expect.any(Number), index: 0 },
      reason: "the build made no code for a GPU",
    });
  });

  turn("for browsers has the twin alone, and members that say so", async () => {
    machine({ nvrtc: true });
    const root = gemmApp(
      "cuda-sm90",
      `const [C] = gemm(A, B);
await gemm.ready();
const told = [];
for (const ask of [() => gemm.device.ready(), () => gemm.on(0)]) await ask().catch(({ message }) => told.push(message));
const { gpu } = gemm.info;
console.log(JSON.stringify({ C, told, adapter: gpu.adapter, reason: gpu.reason }));`,
    );
    const { file, code } = await build(root, { by: "esbuild", platform: "browser" });
    expect(code).not.toMatch(/\.version|cuLaunchKernel|koffi/);
    expect(await runProgram(file, { UNPLUGIN_KERNEL_CUDA: fake.driver })).toEqual({
      ...{ C: expect.any(Number), adapter: null, reason: "CUDA needs Node.js" },
      told: ["CUDA needs Node.js", "gemm: CUDA needs Node.js"],
    });
    const alone = gemmApp("cuda-sm90&fallback=none", tell);
    await expect(build(alone, { by: "esbuild", platform: "browser" })).rejects.toThrow("target.not-in-browser");
  });
});

describe.skipIf(noFakeGpu !== null)(`a program${without}`, () => {
  let file: string;
  let alone: string;
  beforeAll(async () => {
    if (noFakeGpu !== null) return;
    machine({ nvrtc: true });
    file = (await build(gemmApp("cuda-sm90", tell), { mode: "predict" })).file;
    const calls = `
const said = [];
try { gemm(A, B); } catch ({ message }) { said.push(message); }
const answer = await gemm.async(A, B).catch(({ message }) => void said.push(message));
console.log(JSON.stringify({ said, first: answer?.[0], adapter: gemm.info.gpu.adapter, twin: gemm.info.twin }));`;
    alone = (await build(gemmApp("cuda-sm90&fallback=none", calls), { mode: "predict" })).file;
  });

  turn.each<[string, Record<string, string>, RegExp]>([
    [
      "no driver",
      { UNPLUGIN_KERNEL_CUDA: "/nowhere/libcuda.so.1" },
      /^there is no CUDA driver \(looked for \/nowhere\/libcuda\.so\.1: /,
    ],
    ["a driver without a device", { FAKE_CUDA_DEVICES: "0" }, /^the CUDA driver has no device$/],
    [
      "an old driver",
      { FAKE_CUDA_VERSION: "11040" },
      /^the driver is for CUDA 11\.4, and kernels take one of CUDA 12\.0 or later$/,
    ],
    [
      "an older GPU",
      { FAKE_CUDA_CAPABILITY: "75" },
      /^Fake GPU 0 has compute capability 7\.5, and the kernel is for 9\.0 or later$/,
    ],
    [
      "no memory",
      { FAKE_CUDA_MEMORY: "1000" },
      /^the GPU refuses the kernel: Fake GPU 0 has no memory for 1536 bytes: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY$/,
    ],
    [
      "a launch that breaks the context",
      { FAKE_CUDA_FAIL_LAUNCH: "1" },
      /^Fake GPU 0 is lost to this process, which has to be started again: cu\w+: CUDA_ERROR_ILLEGAL_ADDRESS$/,
    ],
    ["a GPU that computes something else", { FAKE_CUDA_WRONG: "1" }, /^the GPU's results differ from the twin's by /],
    ["a GPU that is slow", { FAKE_CUDA_SLOW_MS: "700" }, /^the GPU takes \d{3,}\.\d+ ms, the twin \d+\.\d+ ms$/],
  ])("with %s gets the twin's answers and the reason", async (_, env, reason) => {
    const answer = await runProgram(file, { UNPLUGIN_KERNEL_CUDA: fake.driver, ...env });
    expect(answer).toEqual({
      ...{ ...right, isMeasured: false, adapter: null },
      reason: expect.stringMatching(reason),
    });
  });

  const hasDriver = !("reason" in here && here.reason.startsWith("there is no CUDA driver"));
  turn.skipIf(hasDriver)(
    `of a machine without a driver gets the twin's answers and the reason${hasDriver ? " (a driver is here)" : ""}`,
    async () => {
      expect(await runProgram(file, { UNPLUGIN_KERNEL_CUDA: undefined })).toEqual({
        ...{ ...right, isMeasured: false, adapter: null },
        reason: expect.stringMatching(/^there is no CUDA driver \(looked for libcuda\.so\.1, nvcuda\.dll: .*\)$/),
      });
    },
  );

  turn(
    "whose kernel wants more memory for its groups than the GPU has gets the twin's answers and the reason",
    async () => {
      const large = join(dirname(file), "large.mjs");
      writeFileSync(large, readFileSync(file, "utf8").replaceAll(/\], groupBytes: \d+/g, "], groupBytes: 240000"));
      expect(await runProgram(large, { UNPLUGIN_KERNEL_CUDA: fake.driver })).toEqual({
        ...{ ...right, isMeasured: false, adapter: null },
        reason:
          "the GPU refuses the kernel: its groups want 240000 bytes of memory, and those of Fake GPU 0 have 232448",
      });
    },
  );

  turn("does without pinned memory", async () => {
    const env = { UNPLUGIN_KERNEL_CUDA: fake.driver, FAKE_CUDA_NO_PINNED: "1" };
    expect(await runProgram(file, env)).toMatchObject(onGpu);
  });

  turn.each<[string, Record<string, string>, string]>([
    ["machine code", {}, "load-cubin"],
    ["PTX on a later generation", { FAKE_CUDA_CAPABILITY: "100" }, "load"],
    ["PTX where the driver does not take the machine code", { FAKE_CUDA_NO_CUBIN: "1" }, "load"],
  ])("loads %s", async (_, env, loaded) => {
    const log = join(dirname(file), `${loaded}-${Object.keys(env).join()}.log`);
    const answer = await runProgram(file, { UNPLUGIN_KERNEL_CUDA: fake.driver, FAKE_CUDA_LOG: log, ...env });
    expect(answer).toMatchObject(onGpu);
    const loads = readFileSync(log, "utf8").match(/^load\S*/gm);
    expect(loads).toEqual([loaded]);
  });

  turn("takes the first GPU that runs the kernel", async () => {
    const env = { UNPLUGIN_KERNEL_CUDA: fake.driver, FAKE_CUDA_DEVICES: "2", FAKE_CUDA_CAPABILITY: "80,100" };
    expect(await runProgram(file, env)).toMatchObject({ ...onGpu, adapter: "Fake GPU 1" });
  });

  turn("without koffi gets the twin's answers and the reason", async () => {
    machine({ nvrtc: true });
    const bare = await build(gemmApp("cuda-sm90", tell, { koffi: false }), { mode: "predict" });
    expect(await runProgram(bare.file, { UNPLUGIN_KERNEL_CUDA: fake.driver })).toEqual({
      ...{ ...right, isMeasured: false, adapter: null },
      reason: "there is no koffi, which calls the CUDA driver: install the package koffi",
    });
  });

  turn("takes results of bf16 for the numbers that they are, which a GPU may round otherwise", async () => {
    machine({ nvrtc: true });
    const op = 'gemm({ M: 33, N: 40, K: 48, dtype: "bf16" })';
    const script = `
const halves = (length, salt) => Uint16Array.from({ length }, (_, at) => 0x3f00 + ((at * 37 + salt) % 250));
const inputs = [halves(33 * 48, 1), halves(48 * 40, 2)];
await gemm.ready();
const C = await gemm.async(...inputs);
const steps = gemm(...inputs).map((bits, at) => Math.abs(bits - C[at]));
console.log(JSON.stringify({ most: Math.max(...steps), adapter: gemm.info.gpu.adapter, reason: gemm.info.gpu.reason }));
process.exit();`;
    const { file: halves } = await build(gemmApp("cuda-sm90", script, { op }), { mode: "predict" });
    const answer = await runProgram(halves, { UNPLUGIN_KERNEL_CUDA: fake.driver });
    expect(answer).toEqual({ most: expect.any(Number), adapter: "Fake GPU 0", reason: null });
    expect((answer as { most: number }).most).toBeLessThan(3);
  });

  turn("has a product whose extents are no whole tiles on tensor cores", async () => {
    machine({ nvrtc: true });
    const sizes = { M: 300, N: 300, K: 300, dtype: "f16" } as const;
    const op = instantiate(opLibrary.gemm(sizes), {}, "gemm");
    const space = generateSpace({ op, target: cudaSm80, numerics: "fast", threads: 1 });
    expect(predict(space)!.template).toContain("gathered matrices: C in vectors of threads; C.sum.products on tensor");
    const script = `
const halves = (length, salt) => Uint16Array.from({ length }, (_, at) => 0x3c00 + 0x400 * ((at * 7 + salt) % 3));
const inputs = [halves(300 * 300, 1), halves(300 * 300, 2)];
const product = await gemm.on(gemm.device);
const [a, b, c] = [product.buffer("A", inputs[0]), product.buffer("B", inputs[1]), product.buffer("C")];
product.run(a, b, c);
const C = await product.read("C", c);
console.log(JSON.stringify({ wrong: gemm(...inputs).filter((bits, at) => bits !== C[at]).length, of: C.length }));
process.exit();`;
    const app = gemmApp("cuda-sm80", script, { op: `gemm(${JSON.stringify(sizes)})` });
    const { file: uneven } = await build(app, { mode: "predict" });
    const answer = await runProgram(uneven, { UNPLUGIN_KERNEL_CUDA: fake.driver });
    expect(answer).toEqual({ wrong: 0, of: 300 * 300 });
  });

  turn("without a twin is the GPU's alone", async () => {
    const whyNot = "gemm: a GPU answers through async and on alone; no twin was built (fallback=none)";
    expect(await runProgram(alone, { UNPLUGIN_KERNEL_CUDA: fake.driver })).toEqual({
      ...{ said: [whyNot], first: expect.any(Number), adapter: "Fake GPU 0", twin: "cuda" },
    });
    const { said, adapter } = (await runProgram(alone, { UNPLUGIN_KERNEL_CUDA: "/nowhere" })) as {
      said: readonly string[];
      adapter: null;
    };
    expect(adapter).toBeNull();
    expect(said).toEqual([
      whyNot,
      expect.stringMatching(/^gemm: there is no CUDA driver \(.*\); no twin was built \(fallback=none\)$/),
    ]);
  });
});
