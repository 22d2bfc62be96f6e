// Name of the CPU in the records of benches. Generations of one product are sold by one name ("AMD EPYC"), but their
// times do not compare, so the name has the numbers that tell them apart, where the system gives them.

import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

const factsFile = "/proc/cpuinfo";

/** @example cpuName() // "AMD EPYC (family 25, model 17)" */
export function cpuName(): string {
  const name = cpus()[0]?.model.trim() ?? "unknown";
  const facts = existsSync(factsFile) ? readFileSync(factsFile, "utf8") : "";
  const number = (label: string): string | undefined => new RegExp(`^${label}\\s*:\\s*(\\d+)$`, "m").exec(facts)?.[1];
  const [family, model] = [number("cpu family"), number("model")];
  return family && model ? `${name} (family ${family}, model ${model})` : name;
}
