// Names this machine's CPU. Generations of one product are sold by one name ("AMD EPYC"), so the numbers that tell them
// apart are in it where the system gives them: /proc/cpuinfo of Linux, a variable of the environment that Windows sets.

import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** Makes the name from the system's name and the text of /proc/cpuinfo. */
export function cpuNameOf(name: string, cpuinfo: string): string {
  const number = (label: string): string | undefined => new RegExp(`^${label}\\s*:\\s*(\\d+)$`, "m").exec(cpuinfo)?.[1];
  const [family, model] = [number("cpu family"), number("model")];
  return family && model ? `${name} (family ${family}, model ${model})` : name;
}

/** Makes it from the name and PROCESSOR_IDENTIFIER of Windows: "AMD64 Family 25 Model 17 Stepping 1, AuthenticAMD". */
export function cpuNameOfWindows(name: string, identifier: string): string {
  const [, family, model] = /\bFamily (\d+) Model (\d+)\b/.exec(identifier) ?? [];
  return family && model ? `${name} (family ${family}, model ${model})` : name;
}

/** @example cpuName() // "AMD EPYC (family 25, model 17)" */
export function cpuName(): string {
  const name = cpus()[0]?.model.trim() || "unknown CPU";
  if (process.platform === "win32") return cpuNameOfWindows(name, process.env.PROCESSOR_IDENTIFIER ?? "");
  try {
    return cpuNameOf(name, readFileSync("/proc/cpuinfo", "utf8"));
  } catch {
    // macOS.
    return name;
  }
}
