// What real machines say of themselves, recorded in recorded/ (lines that are read, and their neighbours): macOS by `sysctl hw machdep.cpu`, Linux by
// /proc/cpuinfo. The systems are not here to be asked.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import { cachesOfSysctl } from "../../../src/native/machine/caches.ts";
import { coreOfCpuinfo, coreOfSysctl } from "../../../src/native/machine/core-name.ts";
import { featuresOfAppleArm, featuresOfSysctl } from "../../../src/native/machine/cpu-features.ts";
import { bestTargetName, hostTarget, type Machine } from "../../../src/native/machine/machine.ts";
import { strongestOf } from "../../../src/native/machine/processors.ts";

const recorded = (name: string): string => readFileSync(new URL(`recorded/${name}.txt`, import.meta.url), "utf8");

const machine = (platform: string, features: readonly string[]): Machine => ({
  platform,
  features,
  caches: null,
  cores: 1,
});

test("Apple M3 Max: its strong cores, of which five share 16 MB", () => {
  const text = recorded("apple-m3-max");
  expect(featuresOfAppleArm(text)).toEqual(["bf16", "dotprod", "fp16", "i8mm", "neon"]);
  expect(bestTargetName(machine("darwin-arm64", featuresOfAppleArm(text)))).toBe("neon-i8mm");
  const shared = Math.floor((16 * 1024 ** 2) / 5);
  expect(cachesOfSysctl(text)).toEqual({ l1Bytes: 128 * 1024, l2Bytes: shared, l3Bytes: shared });
  expect(coreOfSysctl(text)).toBe("apple-p");
});

test("Apple M1 as Rosetta shows it: x64 without AVX, whose features have one line in place of two", () => {
  const text = recorded("apple-m1-rosetta");
  expect(featuresOfSysctl(text)).toContain("sse4.2");
  expect(bestTargetName(machine("darwin-x64", featuresOfSysctl(text)))).toBe("wasm");
  expect(featuresOfAppleArm(text)).toEqual(["dotprod", "fp16", "neon"]);
  expect(cachesOfSysctl(text)).toEqual({ l1Bytes: 128 * 1024, l2Bytes: 3 * 1024 ** 2, l3Bytes: 3 * 1024 ** 2 });
});

test("a MacBook Pro of 2014 has AVX2", () => {
  const text = recorded("intel-core-i7-4980hq");
  expect(bestTargetName(machine("darwin-x64", featuresOfSysctl(text)))).toBe("avx2");
  expect(coreOfSysctl(text)).toBeUndefined();
});

test("Graviton 2 is a Neoverse N1", () => {
  expect(coreOfCpuinfo(recorded("graviton-2"), 0)).toBe("neoverse-n1");
});

test("of cores of several kinds the strongest counts", () => {
  const paragraph = (number: number, part: string): string =>
    `processor\t: ${number}\nCPU implementer\t: 0x41\nCPU part\t: ${part}\n`;
  // RK3588: four Cortex-A55, four Cortex-A76.
  const text = [0, 1, 2, 3, 4, 5, 6, 7].map((number) => paragraph(number, number < 4 ? "0xd05" : "0xd0b")).join("\n");
  const capacities = [530, 530, 530, 530, 1024, 1024, 1024, 1024].map(
    (capacity, number) => [number, capacity] as const,
  );
  expect(strongestOf(capacities)).toBe(4);
  expect(coreOfCpuinfo(text, 4)).toBe("cortex-a76");
  expect(coreOfCpuinfo(text, 0)).toBeUndefined();
  // Apple M1 under Linux: implementer 0x61, weak and strong cores by turns.
  expect(coreOfCpuinfo("processor : 4\nCPU implementer : 0x61\nCPU part : 0x023\n", 4)).toBe("apple-p");
  expect(coreOfCpuinfo("processor : 0\nvendor_id : AuthenticAMD\n", 0)).toBeUndefined();
});

test("a target has the core of its machine, and no other family's", () => {
  const m1: Machine = { ...machine("darwin-arm64", ["dotprod", "fp16", "neon"]), core: "apple-p" };
  expect(hostTarget("native", m1)).toEqual({ ...targets["neon-dot"], core: "apple-p" });
  expect(hostTarget("avx2", m1)).toEqual(targets.avx2);
  expect(hostTarget("wasm", m1)).toEqual(targets.wasm);
});
