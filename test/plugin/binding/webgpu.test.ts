// Kernels on a GPU in a program, by hand-written WGSL on Dawn's software adapter: who answers a call, what becomes of a GPU that computes
// something else, is slower, breaks or vanishes, and chains on a device of the caller's.

import { describe, expect, test, vi } from "vitest";
import type { AnyKernel, KernelOnDevice, OnGpu } from "../../../src/compiler/index.ts";
import { findDawn, loadDawn } from "../../../src/native/webgpu/dawn.ts";
import { createGpuKernel, loops } from "../../../src/plugin/runtime/entry/index.ts";
import type { KernelFacts } from "../../../src/plugin/runtime/facts.ts";
import { findDevice } from "../../../src/plugin/runtime/webgpu/device.ts";
import { type GpuFacts, type GpuSchedule, schedulesFor } from "../../../src/plugin/runtime/webgpu/gpu-facts.ts";
import { noSoftwareGpu } from "../../support/webgpu.ts";

/** A clock that the twin's loops move on, so that no load of the machine decides who is faster; null: the machine's own. */
const clock = vi.hoisted(() => ({ now: 0 as number | null }));

vi.mock("../../../src/native/machine/clock.ts", async (load) => ({
  ...(await load<object>()),
  nowMs: () => (clock.now === null ? performance.now() : clock.now++),
}));

const length = 10;

const tensor = (name: string, role: "input" | "output"): KernelFacts["tensors"][number] => ({
  name,
  dtype: "f32",
  shape: [length],
  role,
});

/** C = A · factor + B, by loops that take their time. */
const slowly = (A: Float32Array, B: Float32Array, C: Float32Array): void => {
  if (clock.now !== null) clock.now += 400;
  quickly(A, B, C);
};

const quickly = (A: Float32Array, B: Float32Array, C: Float32Array): void => {
  for (let at = 0; at < length; at++) C[at] = A[at]! * 2 + B[at]!;
};

const facts = (over: Partial<KernelFacts> = {}): KernelFacts => ({
  ...{ op: "axpy", parameters: {}, target: "webgpu", numerics: "fast", schedule: null, gflops: null, cacheKey: null },
  ...{ errorBound: 1e-6, constants: [], reason: null },
  tensors: [tensor("A", "input"), tensor("B", "input"), tensor("C", "output")],
  loops: slowly as never,
  ...over,
});

const textOf = (factor: string): string => `
/** Two, after a while. */
fn slow(x: f32) -> f32 {
  var y = x;
  for (var i = 0; i < 20000000; i++) { y = y * 0.5 + 0.25; }
  return select(2.0, y, y > 1000.0);
}
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@compute @workgroup_size(4) fn run(@builtin(global_invocation_id) at: vec3u) {
  if (at.x < ${length}u) { C[at.x] = A[at.x] * ${factor} + B[at.x]; }
}`;

const code = (factor = "2.0"): GpuSchedule["code"][number] => ({
  text: textOf(factor),
  launches: [{ entry: "run", grid: [3, 1, 1], arrays: [0, 1, 2] }],
  scratch: [],
});

type GpuKernel = AnyKernel & OnGpu;

const kernelOf = (gpu: Partial<GpuSchedule> = {}, own: Partial<KernelFacts> = {}): GpuKernel =>
  createGpuKernel(facts(own), { schedules: [{ code: [code()], ...gpu }] }, loops) as GpuKernel;

const A = Float32Array.from({ length }, (_, at) => at);
const B = Float32Array.from({ length }, (_, at) => 100 - at);
const wanted = Array.from({ length }, (_, at) => at * 2 + 100 - at);

/** Objects that have to outlive their devices. */
const kept: unknown[] = [];
const without = noSoftwareGpu ? ` (${noSoftwareGpu})` : "";

/** Calls it off the event loop when it is ready, and once more. */
async function answersOf(kernel: GpuKernel): Promise<readonly number[][]> {
  await kernel.ready();
  return [[...(await kernel.async(A, B))], [...(await kernel.async(A, B))]];
}

describe.skipIf(noSoftwareGpu)(`a kernel${without}`, () => {
  test("answers calls by its twin, and those off the event loop by a GPU that is right and faster", async () => {
    const kernel = kernelOf();
    expect(kernel.info.gpu).toMatchObject({ adapter: null, reason: expect.stringMatching(/^no call/) });
    expect([...kernel(A, B)]).toEqual(wanted);
    expect(await answersOf(kernel)).toEqual([wanted, wanted]);
    expect(kernel.info.gpu).toMatchObject({ adapter: "google swiftshader", reason: null });
    const all = await Promise.all([kernel.async(A, B), kernel.async(B, A), kernel.async(A, B)]);
    expect(all.map(([first]) => first)).toEqual([100, 200, 100]);
    expect(kernel.info.twin).toBe("reference");
  });

  test("does not wait for a GPU", async () => {
    const kernel = kernelOf();
    await kernel.async(A, B);
    expect(kernel.info.gpu.adapter).toBeNull();
    await vi.waitFor(() => expect(kernel.info.gpu.reason).toBe("the next call off the event loop tries it"));
    expect([...(await kernel.async(A, B))]).toEqual(wanted);
    expect(kernel.info.gpu.adapter).toBe("google swiftshader");
  });

  test("leaves calls to a twin that is faster", async () => {
    const kernel = kernelOf({}, { loops: quickly as never });
    expect(await answersOf(kernel)).toEqual([wanted, wanted]);
    expect(kernel.info.gpu).toMatchObject({
      adapter: null,
      reason: expect.stringMatching(/^the GPU takes [\d.]+ ms, the twin [\d.]+ ms$/),
    });
  });

  test("believes no GPU that computes something else", async () => {
    const kernel = kernelOf({ code: [code("2.5")] });
    expect(await answersOf(kernel)).toEqual([wanted, wanted]);
    expect(kernel.info.gpu.reason).toMatch(/^the GPU's results differ from the twin's by 4\.5, where /);
  });

  test("believes no GPU that computes no numbers", async () => {
    const kernel = kernelOf({ code: [code("(A[at.x] - 3.0) / (A[at.x] - 3.0)")] });
    expect((await answersOf(kernel))[1]).toEqual(wanted);
    expect(kernel.info.gpu.reason).toMatch(/^the GPU's results differ/);
  });

  test("says why a GPU refuses its text", async () => {
    const kernel = kernelOf({ code: [code("nothing")] });
    expect(await answersOf(kernel)).toEqual([wanted, wanted]);
    expect(kernel.info.gpu.reason).toMatch(/^the GPU refuses the kernel: its text does not compile: 12:\d+ /);
  });

  test("says why a GPU refuses its launches", async () => {
    const launches = [{ entry: "run", grid: [70_000, 1, 1], arrays: [0, 1, 2] }] as const;
    const kernel = kernelOf({ code: [{ ...code(), launches }] });
    expect(await answersOf(kernel)).toEqual([wanted, wanted]);
    expect(kernel.info.gpu.reason).toMatch(/^the GPU failed: .*70000/);
  });

  test("goes on when the device is lost, on a new one", async () => {
    const kernel = kernelOf();
    await answersOf(kernel);
    const found = await findDevice();
    if (found.kind === "none") throw new Error(found.reason);
    found.device.destroy();
    expect([...(await kernel.async(A, B))]).toEqual(wanted);
    expect(await answersOf(kernel)).toEqual([wanted, wanted]);
    expect(kernel.info.gpu).toMatchObject({ adapter: "google swiftshader", reason: null });
  });

  test("leaves adapters that compute on the CPU alone", async () => {
    vi.resetModules();
    const runtime = await import("../../../src/plugin/runtime/entry/index.ts");
    kept.push(runtime);
    vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU_SOFTWARE", "0");
    const kernel = runtime.createGpuKernel(facts(), { schedules: [{ code: [code()] }] }, runtime.loops) as GpuKernel;
    expect(await answersOf(kernel)).toEqual([wanted, wanted]);
    vi.unstubAllEnvs();
    expect(kernel.info.gpu.reason).toBe("the adapter computes on the CPU (google swiftshader)");
  });

  test("without a twin answers through the GPU alone", async () => {
    const kernel = createGpuKernel(facts(), { schedules: [{ code: [code()] }] }) as GpuKernel;
    expect(() => kernel(A, B)).toThrow(
      "axpy: a GPU answers through async and on alone; no twin was built (fallback=none)",
    );
    expect([...(await kernel.async(A, B))]).toEqual(wanted);
    const broken = createGpuKernel(facts(), { schedules: [{ code: [code("nothing")] }] }) as GpuKernel;
    await expect(broken.async(A, B)).rejects.toThrow(/^axpy: the GPU refuses the kernel: .* \(fallback=none\)$/);
  });
});

test.skipIf(noSoftwareGpu)(`code for larger subgroups than there are is the twin's${without}`, async () => {
  const kernel = kernelOf({ lanes: 64 });
  expect((await answersOf(kernel))[1]).toEqual(wanted);
  expect(kernel.info.gpu.reason).toMatch(/its code is for larger subgroups than the GPU has$/);
  await expect(kernel.on(await ownDevice())).rejects.toThrow("axpy: its code is for larger subgroups");
});

describe.skipIf(noSoftwareGpu)(`several schedules${without}`, () => {
  const kernelWith = (...schedules: readonly GpuSchedule[]): GpuKernel =>
    createGpuKernel(facts(), { schedules: schedules as GpuFacts["schedules"] }, loops) as GpuKernel;
  const [right, wrong] = [{ code: [code()] }, { code: [code("2.5")] }];

  test("are raced where none is known to be the best", async () => {
    const kernel = kernelWith(wrong, { ...right, gpus: ["apple"] }, { code: [code("nothing")] });
    expect((await answersOf(kernel))[1]).toEqual(wanted);
    expect(kernel.info.gpu.reason).toMatch(/^the GPU refuses the kernel/);
    const other = kernelWith(wrong, { ...right, gpus: ["apple"] });
    expect(await answersOf(other)).toEqual([wanted, wanted]);
    expect(other.info.gpu).toMatchObject({ adapter: "google swiftshader", reason: null });
  });

  test("leave those out that are slow", async () => {
    clock.now = null;
    // Within the bound, so that the race alone decides, and another number, so that it is seen.
    const kernel = createGpuKernel(
      facts({
        loops: ((...arrays: [Float32Array, Float32Array, Float32Array]) => {
          const end = performance.now() + 3000;
          while (performance.now() < end);
          quickly(...arrays);
        }) as never,
      }),
      { schedules: [{ code: [code("(slow(A[at.x]) * 1.000005)")] }, right] },
      loops,
    ) as GpuKernel;
    await answersOf(kernel);
    expect([...(await kernel.async(A, B))]).toEqual(wanted);
    expect(kernel.info.gpu).toMatchObject({ adapter: "google swiftshader", reason: null });
    clock.now = 0;
  });

  test("are not raced against that of the adapter's class", async () => {
    const kernel = kernelWith(right, { ...wrong, gpus: ["apple", "software"] });
    await answersOf(kernel);
    expect(kernel.info.gpu.reason).toMatch(/^the GPU's results differ/);
    const device = await ownDevice();
    const own = await kernelWith(wrong, { ...right, gpus: ["software"] }).on(device);
    const [a, b, c] = [own.buffer("A", A), own.buffer("B", B), own.buffer("C")];
    own.run(a, b, c);
    expect([...(await own.read("C", c))]).toEqual(wanted);
  });
});

test("a device gets the schedule of its kind, else of its class, and none that wants larger subgroups", () => {
  const schedule = (name: string, over: Partial<GpuSchedule> = {}): GpuSchedule => ({ code: [code(name)], ...over });
  const all = schedule("all");
  const plain = schedule("plain", { gpus: ["nvidia"] });
  const shuffled = schedule("shuffled", { gpus: ["nvidia-subgroups"], lanes: 32 });
  const other = schedule("other", { gpus: ["intel-subgroups"], lanes: 8 });
  const device = (vendor: string, subgroupMinSize: number, ...features: readonly string[]): GPUDevice =>
    ({
      features: new Set(features),
      adapterInfo: { vendor, architecture: "", device: "", description: "", subgroupMinSize },
    }) as never;
  const chosen = (of: GPUDevice): readonly GpuSchedule[] =>
    schedulesFor({ schedules: [all, plain, shuffled, other] }, of);
  expect(chosen(device("nvidia", 32, "subgroups"))).toEqual([shuffled]);
  expect(chosen(device("nvidia", 32))).toEqual([plain]);
  expect(chosen(device("nvidia", 16, "subgroups"))).toEqual([plain]);
  expect(chosen(device("intel", 16, "subgroups"))).toEqual([other]);
  expect(chosen(device("intel", 4, "subgroups"))).toEqual([all, plain]);
  expect(chosen(device("apple", 32, "subgroups"))).toEqual([all, plain, shuffled, other]);
  expect(chosen({ features: new Set() } as never)).toEqual([all, plain]);
});

describe.skipIf(noSoftwareGpu)(`constants${without}`, () => {
  const sources = [
    ["other", 0],
    ["result", 0],
    ["other", 1],
  ] as const;
  /** Twice the constant goes to the kernel in its place. */
  const doubling = {
    text: `
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read_write> B: array<f32>;
@compute @workgroup_size(16) fn run(@builtin(global_invocation_id) at: vec3u) {
  if (at.x < ${length}u) { B[at.x] = A[at.x] * 2.0; }
}`,
    launches: [{ entry: "run", grid: [1, 1, 1], arrays: [0, 1] }],
    scratch: [],
  } as const;
  const withDoubled = { sources, prepare: { taken: [0], results: [{ dtype: "f32", length }] } } as const;
  const twin = (a: Float32Array, b: Float32Array, c: Float32Array): void =>
    slowly(
      a,
      b.map((value) => value * 2),
      c,
    );
  const packable = (): GpuKernel & { pack(values: { B: Float32Array }): GpuKernel } =>
    kernelOf({ code: [code(), doubling], ...withDoubled }, { constants: ["B"], loops: twin as never }) as never;
  const doubled = wanted.map((value, at) => value + B[at]!);

  test("are prepared on the GPU, for each call or once", async () => {
    const kernel = packable();
    expect(await answersOf(kernel)).toEqual([doubled, doubled]);
    const given = B.slice();
    const layer = kernel.pack({ B: given });
    given.fill(0);
    expect([...(await layer.async(A))]).toEqual(doubled);
    expect([...(await layer.async(A))]).toEqual(doubled);
    expect(layer.info.gpu).toMatchObject({ adapter: "google swiftshader", reason: null });
  });

  test("stay on the caller's device", async () => {
    const kernel = packable();
    const given = B.slice();
    const layer = kernel.pack({ B: given });
    given.fill(0);
    const device = await ownDevice();
    const product = await layer.on(device);
    const [a, c] = [product.buffer("A", A), product.buffer("C")];
    product.run(a, c);
    expect([...(await product.read("C", c))]).toEqual(doubled);
    const whole = await kernel.on(device);
    const b = whole.buffer("B", B);
    whole.run(a, b, c);
    expect([...(await whole.read("C", c))]).toEqual(doubled);
    expect(() => product.buffer("B")).toThrow("axpy has no tensor B: A, C");
  });
});

async function ownDevice(): Promise<GPUDevice> {
  const gpu = (await loadDawn(findDawn()!)).create([]);
  kept.push(gpu);
  const adapter = await gpu.requestAdapter();
  return adapter!.requestDevice();
}

describe.skipIf(noSoftwareGpu)(`on a device of the caller's${without}`, () => {
  const opened = async (): Promise<{ device: GPUDevice; axpy: KernelOnDevice }> => {
    const device = await ownDevice();
    return { device, axpy: await kernelOf().on(device) };
  };

  test("kernels of one pass hand buffers on, again and again", async () => {
    const { device, axpy } = await opened();
    const [a, b, c, d] = [axpy.buffer("A", A), axpy.buffer("B", B), axpy.buffer("C"), axpy.buffer("C")];
    for (let round = 0; round < 3; round++) {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      axpy.encode(pass, a, b, c);
      axpy.encode(pass, c, b, d);
      pass.end();
      device.queue.submit([encoder.finish()]);
    }
    expect([...(await axpy.read("C", d))]).toEqual(wanted.map((value, at) => value * 2 + B[at]!));
  });

  test("takes objects that have device and buffer as members", async () => {
    const device = await ownDevice();
    const axpy = await kernelOf().on({ device });
    const [a, b, c] = [{ buffer: axpy.buffer("A", A) }, { buffer: axpy.buffer("B", B) }, { buffer: axpy.buffer("C") }];
    axpy.run(a, b, c);
    expect([...(await axpy.read("C", c))]).toEqual(wanted);
    axpy.destroy();
  });

  test.each([
    ["too few buffers", (axpy: KernelOnDevice, a: GPUBuffer) => axpy.run(a), "axpy takes buffers of A, B, C; got 1"],
    [
      "an array",
      (axpy: KernelOnDevice, a: GPUBuffer) => axpy.run(a, A as never, a),
      "B must be a GPUBuffer of at least 40 bytes",
    ],
    [
      "a short array",
      (axpy: KernelOnDevice) => axpy.buffer("A", A.subarray(1)),
      "A must be a Float32Array of 10 elements",
    ],
  ])("refuses %s", async (_, act, message) => {
    const { axpy } = await opened();
    expect(() => act(axpy, axpy.buffer("A", A) as GPUBuffer)).toThrow(message);
  });

  test("refuses buffers that are too small, or of another usage", async () => {
    const { device, axpy } = await opened();
    const [a, small] = [axpy.buffer("A", A), device.createBuffer({ size: 36, usage: 128 })];
    expect(() => axpy.run(a, small, a)).toThrow("axpy: B must be a GPUBuffer of at least 40 bytes; it has 36");
    const other = device.createBuffer({ size: 40, usage: 8 });
    expect(() => axpy.run(a, other, a)).toThrow(/with usage STORAGE$/);
  });

  test("refuses what is no device", async () => {
    await expect(kernelOf().on({} as never)).rejects.toThrow("axpy.on takes a GPUDevice");
    await expect(kernelOf().on(null as never)).rejects.toThrow("axpy.on takes a GPUDevice");
  });
});
