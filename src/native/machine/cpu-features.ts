// The instruction-set features of this CPU, spelled as compilers take them: ["avx", "avx2", "fma", …], or of ARM ["dotprod", "fp16", "neon"].
// Part of emitted modules, and ours while we tune. Unknown systems have none: a kernel that needs any does not run there.

import { builtin } from "../process/start-worker.ts";
import { readSysctl } from "./sysctl.ts";

/** Parses the text of /proc/cpuinfo; returns only features that all processors of the machine have. */
export function featuresOfCpuinfo(text: string): readonly string[] {
  // Most machines have one list, once for each processor.
  const lines = new Set([...text.matchAll(/^flags\s*:(.*)$/gm)].map(([, flags]) => flags!.trim()));
  const [first, ...rest] = [...lines].map((flags) => new Set(flags.split(/\s+/)));
  return [...(first ?? [])]
    .filter((flag) => rest.every((flags) => flags.has(flag)))
    .map(spelledForCompiler)
    .sort();
}

/** Parses the lines of `sysctl machdep.cpu`: "machdep.cpu.leaf7_features: BMI1 AVX2", of which Rosetta has not all. */
export const featuresOfSysctl = (text: string): readonly string[] =>
  [
    ...new Set(
      [...text.matchAll(/^machdep\.cpu\.(?:leaf7_)?features:(.*)$/gm)].flatMap(([, flags]) => flags!.split(" ")),
    ),
  ]
    .filter((flag) => flag !== "")
    .map((flag) => appleName(flag.toLowerCase()))
    .sort();

/** Spells a feature as compilers do: Linux writes avx512_vnni and amx_tile where they write avx512vnni and amx-tile. */
const spelledForCompiler = (flag: string): string =>
  flag
    .replace(/^avx512_/, "avx512")
    .replace(/^avx_/, "avx")
    .replace(/^amx_/, "amx-");

const appleName = (flag: string): string => (flag === "avx1.0" ? "avx" : flag);

/**
 * Features of ARM by the bits of AT_HWCAP and AT_HWCAP2 (the kernel's asm/hwcap.h), counted on from 64 in the second. A feature has all of its
 * bits: `fp16` those of scalars and of vectors.
 */
const armBits: Readonly<Record<string, readonly number[]>> = {
  bf16: [64 + 14],
  dotprod: [20],
  fp16: [9, 10],
  i8mm: [64 + 13],
  neon: [1],
};

/** Parses /proc/self/auxv, pairs of 64-bit numbers; the kernel leaves out what only some of the processors have. */
export function featuresOfAuxv(bytes: Uint8Array): readonly string[] {
  const pairs = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = [0n, 0n];
  for (let at = 0; at + 16 <= bytes.byteLength; at += 16) {
    const word = [16n, 26n].indexOf(pairs.getBigUint64(at, true));
    if (word >= 0) words[word] = pairs.getBigUint64(at + 8, true);
  }
  const isSet = (bit: number): boolean => ((words[bit >> 6]! >> BigInt(bit & 63)) & 1n) === 1n;
  return Object.keys(armBits).filter((feature) => armBits[feature]!.every(isSet));
}

/** Features of ARM by the names of macOS, with `FEAT_`, `arm.`, both or neither before them. */
const appleArmNames = { bf16: "BF16", dotprod: "DotProd", fp16: "FP16", i8mm: "I8MM", neon: "AdvSIMD" };

/** Parses the lines of `sysctl hw.optional`: "hw.optional.arm.FEAT_DotProd: 1". */
export const featuresOfAppleArm = (text: string): readonly string[] =>
  Object.entries(appleArmNames)
    .filter(([, name]) => new RegExp(`^hw\\.optional\\.(arm\\.)?(FEAT_)?${name}: 1$`, "m").test(text))
    .map(([feature]) => feature);

const read = (path: string): Uint8Array => builtin("node:fs")!.readFileSync(path);

/** How features are read, by system and family of processors: each names what the others do not have. */
const readers: Readonly<Record<string, () => readonly string[]>> = {
  "linux-x64": () => featuresOfCpuinfo(new TextDecoder().decode(read("/proc/cpuinfo"))),
  "linux-arm64": () => featuresOfAuxv(read("/proc/self/auxv")),
  "darwin-x64": () => featuresOfSysctl(readSysctl("machdep.cpu")),
  "darwin-arm64": () => featuresOfAppleArm(readSysctl("hw.optional")),
};

/** Reads this CPU's features from the system; never throws. */
export function cpuFeatures(): readonly string[] {
  try {
    return readers[`${process.platform}-${process.arch}`]?.() ?? [];
  } catch {
    // No /proc, or no sysctl: as on an unknown system.
    return [];
  }
}
