// Says whether this CPU can run an addon. An instruction that the CPU lacks kills the process, so a feature that cannot
// be found out counts as lacking, and so does one that only some of the processors have.

import { cpuFeatures } from "../../native/machine/cpu-features.ts";
import { builtin } from "../../native/process/start-worker.ts";
import type { NativeFacts } from "./facts.ts";

/**
 * Why an addon cannot run here; null: it can.
 *
 * @param featuresHere features of this CPU, in the compiler's spelling
 */
export function whyNotNative({ platform, features }: NativeFacts, featuresHere = cpuFeatures): string | null {
  if (builtin("node:module") === undefined) return "an addon needs Node.js";
  const here = `${process.platform}-${process.arch}`;
  if (here !== platform) return `the addon is built for ${platform}, this is ${here}`;
  if (features.length === 0) return null;
  const present = featuresHere();
  if (present.length === 0) return `the features of the CPU cannot be read on ${process.platform}`;
  const missing = features.filter((feature) => !present.includes(feature));
  return missing.length === 0 ? null : `the CPU lacks ${missing.join(", ")}`;
}
