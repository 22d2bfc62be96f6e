// Says which addon is for this system, and whether this CPU can run it. An instruction that the CPU lacks kills the process, so a
// feature that cannot be found out counts as lacking, and so does one that only some of the processors have.

import { cpuFeatures } from "../../native/machine/cpu-features.ts";
import { builtin } from "../../native/process/start-worker.ts";
import type { NativeFacts } from "./facts.ts";

/**
 * Windows tells a program nothing of the CPU: an addon is opened there, which executes nothing that the CPU may lack, and says itself what there
 * is (native/load/features.c).
 */
export const isToldByAddon = (): boolean => process.platform === "win32";

/**
 * Returns the addon that runs here, or why there is none.
 *
 * @param featuresHere features of this CPU, in the compiler's spelling
 */
export function addonHere(addons: readonly NativeFacts[], featuresHere = cpuFeatures): NativeFacts | string {
  if (builtin("node:module") === undefined) return "an addon needs Node.js";
  const here = `${process.platform}-${process.arch}`;
  const addon = addons.find(({ platform }) => platform === here);
  if (!addon) return `the addon is built for ${addons.map(({ platform }) => platform).join(", ")}, this is ${here}`;
  return isToldByAddon() ? addon : (whyNotOnCpu(addon, featuresHere) ?? addon);
}

/** Why a CPU with these features cannot run an addon; null: it can. */
export function whyNotOnCpu({ features }: NativeFacts, featuresHere: () => readonly string[]): string | null {
  if (features.length === 0) return null;
  const present = featuresHere();
  if (present.length === 0) return `the features of the CPU cannot be read on ${process.platform}`;
  const missing = features.filter((feature) => !present.includes(feature));
  return missing.length === 0 ? null : `the CPU lacks ${missing.join(", ")}`;
}
