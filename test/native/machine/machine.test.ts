// Facts read from a system's own words about its CPU, caches and compilers.

import { expect, test } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import { cachesOfSys, cachesOfSysctl, cachesOfWindows } from "../../../src/native/machine/caches.ts";
import {
  featuresOfAppleArm,
  featuresOfAuxv,
  featuresOfCpuinfo,
  featuresOfSysctl,
} from "../../../src/native/machine/cpu-features.ts";
import { cpuNameOfSignature } from "../../../src/native/machine/cpu-name.ts";
import {
  bestTargetName,
  hostTarget,
  type Machine,
  missingFeatures,
  whyNotHere,
  whyNotMeasuredHere,
} from "../../../src/native/machine/machine.ts";
import { clang } from "../../../src/native/toolchain/clang.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { gcc } from "../../../src/native/toolchain/gcc.ts";

const xeon: Machine = {
  platform: "linux-x64",
  features: featuresOfCpuinfo(
    "processor : 0\nflags\t\t: fpu sse2 avx avx2 fma f16c avx512f avx512dq avx512cd avx512bw avx512vl avx512_vnni amx_tile\n",
  ),
  caches: { l1Bytes: 48 * 1024, l2Bytes: 2 * 1024 ** 2, l3Bytes: 1 * 1024 ** 2 },
  cores: 2,
};

test("features are spelled like the compiler's options", () => {
  expect(xeon.features).toContain("avx512vnni");
  expect(xeon.features).toContain("amx-tile");
  expect(featuresOfCpuinfo("flags : avx avx2\n\nflags : avx\n")).toEqual(["avx"]);
  expect(featuresOfCpuinfo("Processor : ARMv8\nFeatures : neon\n")).toEqual([]);
  const sysctl = "machdep.cpu.features: FPU SSE2 AVX1.0 FMA F16C\nmachdep.cpu.leaf7_features: AVX2 BMI1\n";
  expect(featuresOfSysctl(sysctl)).toEqual(["avx", "avx2", "bmi1", "f16c", "fma", "fpu", "sse2"]);
});

test("the best target is the widest that the CPU has; caches come from the machine", () => {
  expect(bestTargetName(xeon)).toBe("avx512-vnni");
  const skylake = { ...xeon, features: xeon.features.filter((feature) => feature !== "avx512vnni") };
  expect(bestTargetName(skylake)).toBe("avx512");
  expect(bestTargetName({ ...xeon, features: [...xeon.features, "avx512bf16"] })).toBe("avx512-bf16");
  expect(bestTargetName({ ...xeon, features: ["avx", "avx2", "f16c", "fma"] })).toBe("avx2");
  expect(bestTargetName({ ...xeon, features: [] })).toBe("wasm");
  expect(missingFeatures(targets.avx2, { ...xeon, features: ["avx", "avx2"] })).toEqual(["f16c", "fma"]);
  expect(missingFeatures(targets.wasm, { ...xeon, features: [] })).toEqual([]);
  expect(hostTarget("native", xeon)).toEqual({ ...targets["avx512-vnni"], ...xeon.caches });
  expect(hostTarget("avx2", { ...xeon, caches: null })).toEqual(targets.avx2);
});

/** Words of /proc/self/auxv: page size, AT_HWCAP, AT_HWCAP2, and the end. */
function auxv(hwcap: bigint, hwcap2: bigint): Uint8Array {
  const words = BigUint64Array.of(6n, 4096n, 16n, hwcap, 26n, hwcap2, 0n, 0n);
  return new Uint8Array(words.buffer);
}

test("features of ARM: by the kernel's bits, by macOS's names", () => {
  // Graviton 2 and 3, as their kernels say; a Cortex-A72 has no 16-bit floats.
  const neoverseN1 = featuresOfAuxv(auxv(0x119fffffn, 0n));
  const neoverseV1 = featuresOfAuxv(auxv(0xffff_ffffn, 0x7fff_ffffn));
  expect(neoverseN1).toEqual(["dotprod", "fp16", "neon"]);
  expect(neoverseV1).toEqual(["bf16", "dotprod", "fp16", "i8mm", "neon"]);
  expect(featuresOfAuxv(auxv(0x8ffn, 0n))).toEqual(["neon"]);
  expect(featuresOfAuxv(new Uint8Array(7))).toEqual([]);
  const m1 =
    "hw.optional.arm.FEAT_DotProd: 1\nhw.optional.arm.FEAT_FP16: 1\nhw.optional.arm.FEAT_BF16: 0\nhw.optional.arm.FEAT_I8MM: 0\nhw.optional.AdvSIMD: 1\n";
  expect(featuresOfAppleArm(m1)).toEqual(["dotprod", "fp16", "neon"]);
  const arm: Machine = { ...xeon, platform: "linux-arm64", features: neoverseN1 };
  expect(bestTargetName(arm)).toBe("neon-dot");
  expect(bestTargetName({ ...arm, features: neoverseV1 })).toBe("neon-i8mm");
  expect(bestTargetName({ ...arm, features: ["neon"] })).toBe("wasm");
  expect(whyNotHere(targets.avx2, arm)).toBe("this CPU is arm64, and the target is x64");
  expect(whyNotHere(targets["neon-i8mm"], arm)).toBe("this CPU has no bf16, i8mm");
  const onWindows = { ...arm, platform: "win32-arm64", features: ["neon"] };
  expect(whyNotHere(targets["neon-dot"], onWindows)).toBe(
    "whether this CPU has dotprod, fp16 is not known while a build runs",
  );
  expect(whyNotHere(targets.avx2, onWindows)).toBe("this CPU is arm64, and the target is x64");
  expect(bestTargetName(onWindows)).toBe("wasm");
  expect(whyNotHere(targets.wasm, arm)).toBeNull();
  // Engines run it everywhere; its time is that of the processors that it is for.
  expect([whyNotHere(targets["wasm-x86"], arm), whyNotMeasuredHere(targets["wasm-arm"], arm)]).toEqual([null, null]);
  expect(whyNotMeasuredHere(targets["wasm-x86"], arm)).toBe("this CPU is arm64, and the target is x64");
  expect(whyNotMeasuredHere(targets["wasm-arm"], xeon)).toBe("this CPU is x64, and the target is arm64");
  expect(whyNotMeasuredHere(targets.avx2, arm)).toBe(whyNotHere(targets.avx2, arm));
  expect(hostTarget("wasm-arm", arm)).toEqual({ ...targets["wasm-arm"], ...arm.caches });
  expect(hostTarget("wasm-x86", arm)).toEqual(targets["wasm-x86"]);
  expect(hostTarget("native", arm)).toEqual({ ...targets["neon-dot"], ...arm.caches });
  expect(hostTarget("wasm", arm)).toEqual({ ...targets.wasm, ...arm.caches });
  expect(hostTarget("avx2", arm)).toEqual(targets.avx2);
});

test("caches of /sys: data and unified ones, the last by its share", () => {
  const entry = (level: string, type: string, size: string, shared = "0") => ({
    level,
    type,
    size,
    shared_cpu_list: shared,
  });
  const entries = [
    entry("1\n", "Data\n", "32K\n"),
    entry("1\n", "Instruction\n", "64K\n"),
    entry("2\n", "Unified\n", "512K\n"),
    entry("3\n", "Unified\n", "32768K\n", "0-3,8-11\n"),
  ];
  expect(cachesOfSys(entries)).toEqual({ l1Bytes: 32768, l2Bytes: 524288, l3Bytes: 4194304 });
  expect(cachesOfSys(entries.slice(0, 3))).toEqual({ l1Bytes: 32768, l2Bytes: 524288, l3Bytes: 524288 });
  expect(cachesOfSys([])).toBeNull();
});

test("caches of sysctl", () => {
  const text = "hw.l1dcachesize: 32768\nhw.l2cachesize: 262144\nhw.l3cachesize: 12582912\nhw.physicalcpu: 6\n";
  expect(cachesOfSysctl(text)).toEqual({ l1Bytes: 32768, l2Bytes: 262144, l3Bytes: 2097152 });
  expect(cachesOfSysctl("")).toBeNull();
});

test("versions of compilers, and clang that calls itself gcc", () => {
  expect(gcc.parseVersion("gcc (Debian 12.2.0-14+deb12u1) 12.2.0")).toBe("12.2.0");
  expect(gcc.parseVersion("gcc (GCC) 8.5.0 20210514 (Red Hat 8.5.0-4)")).toBe("8.5.0");
  expect(gcc.parseVersion("gcc (Ubuntu 13.2.0-23ubuntu4) 13.2.0")).toBe("13.2.0");
  expect(gcc.parseVersion("Apple clang version 15.0.0 (clang-1500.3.9.4)")).toBeNull();
  expect(clang.parseVersion("Apple clang version 15.0.0 (clang-1500.3.9.4)")).toBe("15.0.0");
  expect(clang.parseVersion("Debian clang version 14.0.6")).toBe("14.0.6");
});

test("without a compiler on the path there is none", async () => {
  expect(await detectToolchains({ path: "/nonexistent:relative/bin", project: "/nonexistent" })).toEqual([]);
});

test("caches as Windows tells them: level, kind, bytes and sharers of each", () => {
  const told = [...[1, 2, 49152, 2], ...[1, 1, 32768, 2], ...[2, 0, 1048576, 2], ...[3, 0, 33554432, 4]];
  expect(cachesOfWindows(told)).toEqual({ l1Bytes: 49152, l2Bytes: 1048576, l3Bytes: 8388608 });
  expect(cachesOfWindows(told.slice(0, 12))).toEqual({ l1Bytes: 49152, l2Bytes: 1048576, l3Bytes: 1048576 });
  expect(cachesOfWindows([1, 1, 32768, 2])).toBe(null);
  expect(cachesOfWindows([])).toBe(null);
});

test("a CPU's family and model by CPUID are those of /proc/cpuinfo", () => {
  expect(cpuNameOfSignature("AMD EPYC", 0xa10f11)).toBe("AMD EPYC (family 25, model 17)");
  expect(cpuNameOfSignature("Intel Xeon", 0x806f8)).toBe("Intel Xeon (family 6, model 143)");
  expect(cpuNameOfSignature("CPU", 0)).toBe("CPU");
});
