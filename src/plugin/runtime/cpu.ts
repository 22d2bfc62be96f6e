// Says whether this CPU can run an addon. An instruction that the CPU lacks kills the process, so a feature that cannot
// be found out counts as lacking, and so does one that only some of the processors have.

import { builtin } from "../../native/load/start-worker.ts";
import type { NativeFacts } from "./facts.ts";

/** One list of names a processor. */
function cpuFeatures(): readonly string[] {
  try {
    if (process.platform === "linux") {
      const text = builtin("node:fs")!.readFileSync("/proc/cpuinfo", "utf8");
      return [...text.matchAll(/^(?:flags|Features)\s*:(.*)$/gm)].map(([, flags]) => flags!);
    }
    if (process.platform === "darwin") {
      const query = ["-n", "machdep.cpu.features", "machdep.cpu.leaf7_features"];
      return [builtin("node:child_process")!.execFileSync("/usr/sbin/sysctl", query, { encoding: "utf8" })];
    }
  } catch {}
  return [];
}

/** gcc says avx512vnni, Linux avx512_vnni, macOS AVX512VNNI. */
const plain = (feature: string): string => feature.toLowerCase().replace(/[-_.]/g, "");

/** Null: the addon can run here. */
export function whyNotNative({ platform, features }: NativeFacts): string | null {
  if (builtin("node:module") === undefined) return "an addon needs Node.js";
  const here = `${process.platform}-${process.arch}`;
  if (here !== platform) return `the addon is built for ${platform}, this is ${here}`;
  if (features.length === 0) return null;
  const processors = [...new Set(cpuFeatures())].map((text) => new Set(text.trim().split(/\s+/).map(plain)));
  if (processors.length === 0) return `the features of the CPU cannot be read on ${process.platform}`;
  const missing = features.filter((feature) => !processors.every((present) => present.has(plain(feature))));
  return missing.length === 0 ? null : `the CPU lacks ${missing.join(", ")}`;
}
