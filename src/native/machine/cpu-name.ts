// Names this machine's CPU. Generations of one product are sold by one name ("AMD EPYC"), so the numbers that tell them
// apart are in it where the system gives them.

import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** Makes the name from the system's name and the text of /proc/cpuinfo. */
export function cpuNameOf(name: string, cpuinfo: string): string {
  const number = (label: string): string | undefined => new RegExp(`^${label}\\s*:\\s*(\\d+)$`, "m").exec(cpuinfo)?.[1];
  const [family, model] = [number("cpu family"), number("model")];
  return family && model ? `${name} (family ${family}, model ${model})` : name;
}

/** @example cpuName() // "AMD EPYC (family 25, model 17)" */
export function cpuName(): string {
  const name = cpus()[0]?.model.trim() || "unknown CPU";
  try {
    return cpuNameOf(name, readFileSync("/proc/cpuinfo", "utf8"));
  } catch {
    // Not Linux.
    return name;
  }
}
