// Which addon may be loaded: it has to be for this system, and the CPU has to have what it was compiled for, by the names of each system.

import { afterEach, expect, it, vi } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import { featuresOfCpuinfo, featuresOfSysctl } from "../../../src/native/machine/cpu-features.ts";
import { addonHere } from "../../../src/plugin/runtime/cpu.ts";

const addon = (features: readonly string[], platform = `${process.platform}-${process.arch}`) => ({
  url: () => "file:///kernel.node",
  index: 0,
  features,
  platform,
});

afterEach(() => void vi.unstubAllGlobals());

it("an Intel Mac runs an addon for AVX2, though it calls AVX by another name", () => {
  const here = featuresOfSysctl(
    "machdep.cpu.features: FPU SSE3 SSE4.2 AVX1.0 RDRAND F16C FMA\nmachdep.cpu.leaf7_features: BMI1 AVX2 BMI2\n",
  );
  const own = addon(targets.avx2.features);
  expect(addonHere([own], () => here)).toBe(own);
});

it("one processor of Linux without a feature is enough to leave the addon alone", () => {
  const flags = "flags : avx avx2 f16c fma avx512f avx512bw avx512cd avx512dq avx512vl";
  const here = featuresOfCpuinfo(`${flags} avx512_vnni\n\n${flags}\n`);
  const own = addon(targets.avx512.features);
  expect(addonHere([addon(targets["avx512-vnni"].features)], () => here)).toBe("the CPU lacks avx512vnni");
  expect(addonHere([own], () => here)).toBe(own);
});

it("a system that does not tell runs an addon that needs nothing alone", () => {
  const own = addon([]);
  expect(addonHere([own], () => [])).toBe(own);
  expect(addonHere([addon(["avx2"])], () => [])).toMatch(/^the features of the CPU cannot be read on /);
});

it("of addons for several systems that of this one is taken, wherever it stands", () => {
  const own = addon([]);
  expect(addonHere([addon([], "plan9-x64"), own, addon([], "plan9-arm64")])).toBe(own);
  expect(addonHere([addon([], "plan9-x64"), addon([], "plan9-arm64")])).toMatch(
    /^the addon is built for plan9-x64, plan9-arm64, this is /,
  );
});

it("on Windows that of the processor's family is opened, and says itself what the CPU has", () => {
  const addons = ["win32-x64", "win32-arm64"].map((platform) => addon(["neon"], platform));
  const unasked = () => {
    throw new Error("nobody knows");
  };
  for (const arch of ["x64", "arm64"] as const) {
    vi.stubGlobal("process", { ...process, getBuiltinModule: process.getBuiltinModule, platform: "win32", arch });
    expect(addonHere(addons, unasked)).toMatchObject({ platform: `win32-${arch}` });
  }
});
