// Names the core of this machine, where the analytic prior knows its numbers: by the part number of ARM's cores on Linux, by the name of the chip
// on macOS.

import { readFileSync } from "node:fs";
import type { CoreName } from "../../compiler/index.ts";
import { strongestProcessor } from "./processors.ts";
import { readSysctl } from "./sysctl.ts";

/** Part numbers of cores by ARM (implementer 0x41), from their reference manuals; near relatives go by one name. */
const armParts: Readonly<Record<string, CoreName>> = {
  "0xd0b": "cortex-a76",
  "0xd0e": "cortex-a76",
  "0xd0d": "cortex-a76",
  "0xd41": "cortex-a76",
  "0xd0c": "neoverse-n1",
  "0xd49": "neoverse-n2",
  "0xd40": "neoverse-v1",
  "0xd44": "neoverse-v1",
  "0xd4f": "neoverse-v2",
  "0xd83": "neoverse-v2",
  "0xd84": "neoverse-v2",
};
const [arm, apple] = ["0x41", "0x61"];

/** Parses /proc/cpuinfo of 64-bit ARM, a paragraph for each processor; returns the core of one of them. */
export function coreOfCpuinfo(text: string, processor: number): CoreName | undefined {
  const own = text
    .split(/\n\s*\n/)
    .find((paragraph) => new RegExp(`^processor\\s*: ${processor}$`, "m").test(paragraph));
  const value = (name: string): string =>
    new RegExp(`^CPU ${name}\\s*: (0x[0-9a-f]{1,4})$`, "m").exec(own ?? text)?.[1] ?? "";
  switch (value("implementer")) {
    case arm:
      return armParts[value("part")];
    case apple:
      // M1 is 0x22 and 0x23, M1 Pro 0x24 and 0x25, …: the second of each is the strong one.
      return Number(value("part")) % 2 === 1 ? "apple-p" : "apple-e";
    default:
      return undefined;
  }
}

/** Parses `sysctl machdep.cpu`. All of Apple's chips have strong cores, and busy threads run there. */
export const coreOfSysctl = (text: string): CoreName | undefined =>
  /^machdep\.cpu\.brand_string: Apple M\d/m.test(text) ? "apple-p" : undefined;

/** Reads it; undefined where it is none that is known. */
export function readCore(): CoreName | undefined {
  if (process.arch !== "arm64") return undefined;
  try {
    if (process.platform === "linux") return coreOfCpuinfo(readFileSync("/proc/cpuinfo", "utf8"), strongestProcessor());
    return process.platform === "darwin" ? coreOfSysctl(readSysctl("machdep.cpu")) : undefined;
  } catch {
    // No /proc, or no sysctl.
    return undefined;
  }
}
