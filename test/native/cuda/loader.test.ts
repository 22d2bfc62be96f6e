// The loader of kernels for NVIDIA's GPUs, on a device whose memory is an array: arguments come and go, red zones are looked at, and the
// executor without a compiler.

import { describe, expect, test } from "vitest";
import type { CudaSource, KernelParameter } from "../../../src/compiler/index.ts";
import { cudaExecutorWith } from "../../../src/native/backend/cuda.ts";
import { ptxPrinter } from "../../../src/native/cuda/compiler.ts";
import type { CudaBinary } from "../../../src/native/cuda/cuda-tools.ts";
import type { CudaDevice } from "../../../src/native/cuda/driver.ts";
import { type CudaRunnable, createCudaLoader } from "../../../src/native/cuda/loader.ts";
import { createArena } from "../../../src/native/runner/arena.ts";
import type { DeviceKernel } from "../../../src/native/runner/loader.ts";

const memory = new Uint8Array(1 << 20);

/** A device that runs `kernel` at each launch: 0.5 ms a time. */
function fakeDevice(kernel: (addresses: readonly bigint[]) => void): CudaDevice {
  let end = 256;
  let launches = 0;
  const at = (address: bigint): number => Number(address);
  const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer, byteOffset, byteLength);
  return {
    name: "fake",
    capability: [9, 0],
    processors: 1,
    alloc(bytes) {
      const start = end;
      end += Math.ceil(bytes / 256) * 256;
      return BigInt(start);
    },
    free: () => undefined,
    upload: (to, from) => memory.set(bytesOf(from), at(to)),
    download: (to, from) => bytesOf(to).set(memory.subarray(at(from), at(from) + to.byteLength)),
    fill: (address, byte, bytes) => void memory.fill(byte, at(address), at(address) + bytes),
    load: () => ({
      launcher: (_, addresses) => () => {
        launches += 1;
        kernel(addresses);
      },
      unload: () => undefined,
    }),
    wait: () => undefined,
    time(work) {
      const before = launches;
      work();
      return (launches - before) / 2;
    },
  };
}

const parameters: readonly KernelParameter[] = [
  { name: "x", dtype: "f32", shape: [3], length: 3, role: "input" },
  { name: "y", dtype: "f32", shape: [3], length: 3, role: "output" },
];

const launch = { entry: "k_0", grid: [1, 1, 1], group: [1, 1, 1], groupBytes: 0 } as const;
const candidate: CudaRunnable = { kind: "cuda", code: [new Uint8Array(1)], launches: [launch], scratch: [] };

async function loaded(kernel: (addresses: readonly bigint[]) => void) {
  const fail = (reason: string): never => {
    throw new Error(`failed: ${reason}`);
  };
  const loader = createCudaLoader(async () => fakeDevice(kernel), fail);
  await loader.ready?.();
  const arena = createArena(parameters);
  return { kernel: (await loader.load(candidate, { parameters, arena })) as DeviceKernel, arena };
}

const floats = (address: bigint): Float32Array => new Float32Array(memory.buffer, Number(address), 3);

describe("a kernel on a device", () => {
  test("takes its inputs, leaves its results, and is timed in nanoseconds", async () => {
    const { kernel } = await loaded(([x, y]) => floats(y!).set(floats(x!).map((value) => 2 * value)));
    kernel.arrays[0]!.set([1, 2, 3]);
    await kernel.upload();
    expect(await kernel.time(4)).toBe(2e6);
    await kernel.download();
    expect([...kernel.arrays[1]!]).toEqual([2, 4, 6]);
    expect([kernel.clock, kernel.isExact]).toEqual(["device", false]);
  });

  test.each([
    ["behind", 12],
    ["before", -1],
  ])("a byte that it writes %s an array is told, once", async (_, offset) => {
    let isWrong = true;
    const { kernel } = await loaded(([, y]) => {
      if (isWrong) memory[Number(y) + offset] = 0;
    });
    await kernel.upload();
    await kernel.time(1);
    expect(() => kernel.download()).toThrow(RangeError);
    isWrong = false;
    await kernel.upload();
    await kernel.time(1);
    expect(() => kernel.download()).not.toThrow();
  });

  test("what the driver says of a launch ends the process", async () => {
    const { kernel } = await loaded(() => {
      throw new Error("cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
    });
    expect(() => kernel.time(1)).toThrow("failed: cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
  });

  test("no device: each kernel says so", async () => {
    const loader = createCudaLoader(
      () => Promise.reject(new Error("there is no CUDA driver")),
      () => {
        throw new Error("not called");
      },
    );
    const place = { parameters, arena: createArena(parameters) };
    await expect(loader.load(candidate, place)).rejects.toThrow("there is no CUDA driver");
  });
});

const source: CudaSource = {
  kind: "cuda",
  name: "k",
  parameters,
  text: "",
  ptx: (target) => `.version 8.0\n.target ${target}\n`,
  launches: [launch],
  scratch: [],
  architecture: "sm_90",
  numerics: "fast",
};
const nowhere = { directory: "", toolchain: null };

describe("the executor", () => {
  test("without a compiler has PTX alone", async () => {
    const [built] = await cudaExecutorWith(
      () => "file:///loader.mjs",
      async () => ptxPrinter,
    ).build([source], nowhere);
    const code = [new TextEncoder().encode(".version 7.8\n.target sm_90\n\0")];
    expect(built).toMatchObject({ kind: "built", runnable: { code, launches: [launch] } });
  });

  test("compiles each text once, and a text with a mistake costs itself alone", async () => {
    const compiledTexts: string[] = [];
    const compile = async ({ text }: Pick<CudaSource, "text">): Promise<CudaBinary> => {
      compiledTexts.push(text);
      if (text === "mistake") throw new Error("NVRTC: mistake");
      return { cubin: new Uint8Array(2), ptx: ".version 8.4" };
    };
    const executor = cudaExecutorWith(
      () => "file:///loader.mjs",
      async () => ({ identity: "test", isCompiler: true, compile }),
    );
    const outcomes = await executor.build([source, { ...source, text: "mistake" }, source], nowhere);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["built", "build-failed", "built"]);
    expect(outcomes[0]).toMatchObject({ runnable: { kind: "cuda", module: "file:///loader.mjs", launches: [launch] } });
    // A GPU of a later generation takes the PTX.
    const code = [new Uint8Array(2), new TextEncoder().encode(".version 7.8\n\0")];
    expect(outcomes[0]).toMatchObject({ runnable: { code } });
    expect(compiledTexts).toEqual(["", "mistake"]);
  });
});
