// The loader of kernels for WebGPU, on SwiftShader: arguments come and go, red zones are looked at, runs are timed, and what the device says
// of a text or of itself is told. The executor hands texts to it.

import { describe, expect, test } from "vitest";
import type { KernelParameter, WgslSource } from "../../../src/compiler/index.ts";
import { wgslExecutorWith } from "../../../src/native/backend/wgsl.ts";
import { createArena } from "../../../src/native/runner/arena.ts";
import type { DeviceKernel } from "../../../src/native/runner/loader.ts";
import { isSoftware } from "../../../src/native/webgpu/adapter-name.ts";
import { findDawn, loadDawn } from "../../../src/native/webgpu/dawn.ts";
import { openGpu } from "../../../src/native/webgpu/device.ts";
import { createWebgpuLoader, type WgslRunnable } from "../../../src/native/webgpu/loader.ts";
import { createValidator } from "../../../src/native/webgpu/validate.ts";
import { noDawn, noSoftwareGpu, openSoftwareGpu } from "../../support/webgpu.ts";

const parameters: readonly KernelParameter[] = [
  { name: "x", dtype: "f32", shape: [3], length: 3, role: "input" },
  { name: "y", dtype: "f32", shape: [3], length: 3, role: "output" },
];

const textOf = (index: string): string => `@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn k_0(@builtin(local_invocation_id) at: vec3<u32>) {
  if (at.x < 3u) { y[${index}] = x[at.x] * 2.0f; }
}
`;

const candidate = (text: string): WgslRunnable => ({
  kind: "wgsl",
  dawn: findDawn() ?? "",
  text,
  launches: [{ entry: "k_0", grid: [1, 1, 1], arrays: [0, 1] }],
  scratch: [],
});

function loaderOnSwiftShader() {
  const opened = openSoftwareGpu();
  const loader = createWebgpuLoader(
    () => opened,
    (reason) => {
      throw new Error(`failed: ${reason}`);
    },
  );
  return { loader, opened };
}

async function loaded(text: string) {
  const { loader, opened } = loaderOnSwiftShader();
  const arena = createArena(parameters);
  const kernel = (await loader.load(candidate(text), { parameters, arena })) as DeviceKernel;
  return { kernel, gpu: await opened, arrays: arena.arrays };
}

const note = noSoftwareGpu ? ` (${noSoftwareGpu})` : "";

describe.skipIf(noSoftwareGpu)(`the loader on SwiftShader${note}`, () => {
  test("arguments come and go, and a run takes time", async () => {
    const { kernel, arrays, gpu } = await loaded(textOf("at.x"));
    arrays[0]!.set([1, 2, 3]);
    await kernel.upload();
    const ns = await kernel.time(3);
    await kernel.download();
    expect([...arrays[1]!]).toEqual([2, 4, 6]);
    expect(ns).toBeGreaterThan(0);
    expect([kernel.clock, kernel.isExact]).toEqual(["device", false]);
    gpu.device.destroy();
  });

  test("a write behind an array is told, once", async () => {
    const { kernel, gpu } = await loaded(textOf("at.x + 1u"));
    await kernel.upload();
    await kernel.time(1);
    await expect(kernel.download()).rejects.toThrow(new RangeError("it wrote outside y"));
    await kernel.upload();
    await kernel.download();
    gpu.device.destroy();
  });

  test("of a broken text the line is told", async () => {
    await expect(loaded(textOf("at.q"))).rejects.toThrow(/line 4, column \d+: .*\n.*y\[at\.q\]/);
  });

  test("a device that is lost ends the process", async () => {
    const { kernel, gpu } = await loaded(textOf("at.x"));
    gpu.device.destroy();
    await expect(kernel.time(1)).rejects.toThrow("failed: ");
  });

  test("an adapter that computes on the CPU is for tests alone", async () => {
    const dawn = await loadDawn(findDawn()!);
    await expect(openGpu(dawn, { software: false })).rejects.toThrow("computes on the CPU");
  });
});

test.each([
  [{ vendor: "google", architecture: "swiftshader", device: "", description: "" }, true],
  [{ vendor: "mesa", architecture: "", device: "", description: "llvmpipe (LLVM 15.0.7, 256 bits)" }, true],
  [{ vendor: "nvidia", architecture: "hopper", device: "", description: "NVIDIA H100" }, false],
])("%o computes on the CPU: %s", (info, expected) => {
  expect(isSoftware(info)).toBe(expected);
});

describe.skipIf(noDawn)(`Dawn's null back end${noDawn ? ` (${noDawn})` : ""}`, () => {
  const launches = [{ entry: "k_0", grid: [1, 1, 1], arrays: [] }] as const;

  test("a text is validated without a GPU", async () => {
    const validate = (await createValidator())!;
    expect(await validate({ text: textOf("at.x"), launches })).toBeNull();
    expect(await validate({ text: textOf("at.q"), launches })).toContain("line 4, column");
    const uneven = textOf("at.x").replace("y[", "workgroupBarrier(); y[");
    expect(await validate({ text: uneven, launches })).toContain("must only be called from uniform control flow");
    const large = textOf("at.x").replace("workgroup_size(4)", "workgroup_size(512)");
    expect(await validate({ text: large, launches })).not.toBeNull();
  });
});

const source: WgslSource = {
  kind: "wgsl",
  name: "k",
  parameters,
  text: textOf("at.x"),
  launches: [{ entry: "k_0", grid: [1, 1, 1], arrays: [0, 1] }],
  scratch: [],
  features: [],
  shuffleLanes: 0,
};
const nowhere = { directory: "", toolchain: null };

test("the executor hands on texts, with the place of the package", async () => {
  const [built] = await wgslExecutorWith(
    () => "file:///loader.mjs",
    () => "/w/index.js",
  ).build([source], nowhere);
  expect(built).toMatchObject({
    kind: "built",
    runnable: { kind: "wgsl", module: "file:///loader.mjs", dawn: "/w/index.js", text: source.text },
  });
});

test("without the package the executor says what to install, and its kernels are for pages alone", async () => {
  const executor = wgslExecutorWith(
    () => "file:///loader.mjs",
    () => null,
  );
  expect(await executor.whyNotHere!(".")).toContain("install the package webgpu");
  const [built] = await executor.build([source], nowhere);
  expect(built).toMatchObject({ kind: "built", runnable: { dawn: null, text: source.text } });
  const { runnable } = built as unknown as { runnable: WgslRunnable };
  const loader = createWebgpuLoader(
    () => Promise.reject(new Error("it was opened")),
    (reason) => {
      throw new Error(reason);
    },
  );
  const place = { parameters: [], arena: createArena([]) };
  await expect(loader.load(runnable, place as never)).rejects.toThrow("install the package webgpu");
});

test("no package: none is found in an empty project, or at a path that is not there", () => {
  expect(findDawn({ path: "/nowhere" })).toBeNull();
});
