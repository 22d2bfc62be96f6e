// Whether an addon may be loaded: the CPU has to have what it was compiled for, by the names of each system.

import { expect, it } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import { featuresOfCpuinfo, featuresOfSysctl } from "../../../src/native/machine/cpu-features.ts";
import { whyNotNative } from "../../../src/plugin/runtime/cpu.ts";

const addon = (features: readonly string[]) => ({
  url: () => "file:///kernel.node",
  index: 0,
  features,
  platform: `${process.platform}-${process.arch}`,
});

it("an Intel Mac runs an addon for AVX2, though it calls AVX by another name", () => {
  const here = featuresOfSysctl("FPU SSE3 SSE4.2 AVX1.0 RDRAND F16C FMA\nBMI1 AVX2 BMI2\n");
  expect(whyNotNative(addon(targets.avx2.features), () => here)).toBe(null);
});

it("one processor of Linux without a feature is enough to leave the addon alone", () => {
  const flags = "flags : avx avx2 f16c fma avx512f avx512bw avx512cd avx512dq avx512vl";
  const here = featuresOfCpuinfo(`${flags} avx512_vnni\n\n${flags}\n`);
  expect(whyNotNative(addon(targets["avx512-vnni"].features), () => here)).toBe("the CPU lacks avx512vnni");
  expect(whyNotNative(addon(targets.avx512.features), () => here)).toBe(null);
});

it("a system that does not tell runs an addon that needs nothing alone", () => {
  expect(whyNotNative(addon([]), () => [])).toBe(null);
  expect(whyNotNative(addon(["avx2"]), () => [])).toMatch(/^the features of the CPU cannot be read on /);
});
