// The driver in the measuring process and in a probe of its own: one for tests, none, and Debian's without a device where it is installed.

import { beforeAll, describe, expect, test, vi } from "vitest";
import { cudaSm80, cudaSm90 } from "../../../src/compiler/index.ts";
import { cudaExecutor, cudaOfMachine } from "../../../src/native/backend/cuda.ts";
import { openDevice } from "../../../src/native/cuda/driver.ts";
import { cudaState } from "../../../src/native/cuda/loader.ts";
import { loadNvrtc } from "../../../src/native/cuda/nvrtc.ts";
import { driverWithoutDevice, noCudaTools } from "../../compiler/cuda/tools.ts";
import { type FakeCuda, makeFakeCuda, noFakeGpu } from "../../support/cuda.ts";

const without = noFakeGpu ? ` (${noFakeGpu})` : "";
let fake: FakeCuda;
beforeAll(() => {
  if (noFakeGpu === null) fake = makeFakeCuda();
});

const unset = async <T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await work();
  } finally {
    vi.unstubAllEnvs();
  }
};

describe.skipIf(noFakeGpu !== null)(`the driver for tests${without}`, () => {
  test("gives a device that copies, fills and counts", async () => {
    const device = await unset({ UNPLUGIN_KERNEL_CUDA: fake.driver }, () => openDevice());
    expect([device.name, device.capability, device.processors]).toEqual(["Fake GPU 0", [9, 0], 4]);
    const at = device.alloc(8);
    device.fill(at, 7, 8);
    device.upload(at, new Uint8Array([1, 2]));
    const bytes = new Uint8Array(8);
    device.download(bytes, at);
    expect([...bytes]).toEqual([1, 2, 7, 7, 7, 7, 7, 7]);
    expect(device.time(() => undefined)).toBeCloseTo(0.01);
    device.wait();
    device.free(at);
    expect(() => device.load(new TextEncoder().encode("nonsense\0"))).toThrow(
      "cuModuleLoadData: CUDA_ERROR_INVALID_PTX",
    );
  });

  test.each([
    [{}, cudaSm90, null],
    [{ FAKE_CUDA_CAPABILITY: "80" }, cudaSm80, null],
    [
      { FAKE_CUDA_CAPABILITY: "80" },
      cudaSm90,
      "Fake GPU 0 has compute capability 8.0, and the kernel is for 9.0 alone",
    ],
    [{ FAKE_CUDA_DEVICES: "0" }, cudaSm80, "the CUDA driver has no device"],
  ])("is asked with %j", async (env, target, why) => {
    // The answer is kept for a path, so each case has one of its own.
    const driver = `${fake.driver.replace("/fake-libcuda.so", "")}/${"./".repeat(Object.keys(env).length + (why?.length ?? 0))}fake-libcuda.so`;
    const named = { UNPLUGIN_KERNEL_CUDA: driver, UNPLUGIN_KERNEL_NVRTC: fake.nvrtc, ...env };
    expect(await unset(named, () => cudaExecutor.whyNotHere!("/", target))).toBe(why);
  });

  test("is what doctor tells of", async () => {
    const named = { UNPLUGIN_KERNEL_CUDA: fake.driver, UNPLUGIN_KERNEL_NVRTC: fake.nvrtc };
    expect(await unset(named, cudaOfMachine)).toMatchObject({
      ...{ compiler: "NVRTC 13.0", reason: "" },
      gpus: [{ index: 0, name: "Fake GPU 0", capability: [9, 0], groupBytes: 232_448 }],
    });
  });

  test("has a compiler beside it, which says what it refuses", async () => {
    const nvrtc = await loadNvrtc(fake.nvrtc);
    const source = { text: "this is no C", numerics: "fast" } as const;
    expect(() => nvrtc!.compile(source, "sm_90")).toThrow("NVRTC: kernel.cu(1): error: this is not for the CPU");
  });
});

test("where there is no driver, that is said", async () => {
  const state = await unset({ UNPLUGIN_KERNEL_CUDA: "/nowhere/libcuda.so.1" }, cudaState);
  expect(state).toEqual({
    reason: expect.stringMatching(/^there is no CUDA driver \(looked for \/nowhere\/libcuda\.so\.1: /),
  });
});

const here = await cudaState();
const installed = "gpus" in here ? "a GPU is here" : here.reason;

test.skipIf(noCudaTools)(
  `Debian's driver without a device is one${noCudaTools ? ` (${noCudaTools})` : ""}`,
  async () => {
    const why = await unset({ UNPLUGIN_KERNEL_CUDA: driverWithoutDevice }, async () =>
      cudaExecutor.whyNotHere!("/", cudaSm80),
    );
    expect(why).toBe("the CUDA driver has no device");
  },
);

test.skipIf(!installed.startsWith("there is no CUDA driver"))(
  `a machine without a driver looks for both names${installed.startsWith("there is no CUDA driver") ? "" : ` (${installed})`}`,
  () => {
    expect(installed).toMatch(/^there is no CUDA driver \(looked for libcuda\.so\.1, nvcuda\.dll: /);
  },
);
