// The instruction-set features of this CPU, spelled like the compiler's -m options: ["avx", "avx2", "fma", …]. Part of emitted modules, and
// ours while we tune. Unknown systems have none: a kernel that needs any does not run there.

import { builtin } from "../process/start-worker.ts";

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

/** Parses the lines of `sysctl -n machdep.cpu.features machdep.cpu.leaf7_features`. */
export const featuresOfSysctl = (text: string): readonly string[] =>
  [...new Set(text.trim().toLowerCase().split(/\s+/))]
    .filter((flag) => flag !== "")
    .map(appleName)
    .sort();

/** Spells a feature as compilers do: Linux writes avx512_vnni and amx_tile where they write avx512vnni and amx-tile. */
const spelledForCompiler = (flag: string): string =>
  flag
    .replace(/^avx512_/, "avx512")
    .replace(/^avx_/, "avx")
    .replace(/^amx_/, "amx-");

const appleName = (flag: string): string => (flag === "avx1.0" ? "avx" : flag);

/** Reads this CPU's features from the system; never throws. */
export function cpuFeatures(): readonly string[] {
  try {
    if (process.platform === "linux")
      return featuresOfCpuinfo(builtin("node:fs")!.readFileSync("/proc/cpuinfo", "utf8"));
    if (process.platform === "darwin" && process.arch === "x64") return featuresOfSysctl(sysctl());
  } catch {
    // No /proc, or no sysctl: as on an unknown system.
  }
  return [];
}

function sysctl(): string {
  const query = ["-n", "machdep.cpu.features", "machdep.cpu.leaf7_features"];
  return builtin("node:child_process")!.execFileSync("/usr/sbin/sysctl", query, { encoding: "utf8" });
}
