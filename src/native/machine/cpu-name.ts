// Names this machine's CPU. Generations of one product are sold by one name ("AMD EPYC"), so the numbers that tell them
// apart are in it where the system gives them: /proc/cpuinfo of Linux, the processor itself on Windows.

import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { windowsFacts } from "./windows-facts.ts";

/** Makes the name from the system's name and the text of /proc/cpuinfo. */
export function cpuNameOf(name: string, cpuinfo: string): string {
  const number = (label: string): string | undefined => new RegExp(`^${label}\\s*:\\s*(\\d+)$`, "m").exec(cpuinfo)?.[1];
  const [family, model] = [number("cpu family"), number("model")];
  return family && model ? `${name} (family ${family}, model ${model})` : name;
}

/** Makes it from the name and what the first leaf of CPUID says in its register eax. */
export function cpuNameOfSignature(name: string, signature: number): string {
  const part = (bit: number, width: number): number => (signature >>> bit) & ((1 << width) - 1);
  const isExtended = part(8, 4) === 15;
  const family = part(8, 4) + (isExtended ? part(20, 8) : 0);
  const model = part(4, 4) + (isExtended || family === 6 ? part(16, 4) * 16 : 0);
  return family > 0 ? `${name} (family ${family}, model ${model})` : name;
}

/** @example cpuName() // "AMD EPYC (family 25, model 17)" */
export function cpuName(): string {
  const name = cpus()[0]?.model.trim() || "unknown CPU";
  if (process.platform === "win32") return cpuNameOfSignature(name, windowsFacts().signature);
  try {
    return cpuNameOf(name, readFileSync("/proc/cpuinfo", "utf8"));
  } catch {
    // macOS.
    return name;
  }
}
