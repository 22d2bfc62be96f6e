// The addon of a kernel. The CPU is checked before the file is touched, and where the system does not tell what it has, before a kernel runs.

import { builtin } from "../../native/process/start-worker.ts";
import { addonHere, isToldByAddon, whyNotOnCpu } from "./cpu.ts";
import { type Functions, openFunctions } from "./functions.ts";
import type { Implementation, ModuleContext, Way } from "./implementation.ts";

/** An addon that says what the CPU has. */
interface CpuAddon {
  features(): readonly string[];
}

/** `--no-addons`, a missing file and another C library all end in an error, which becomes the reason. */
function load(context: ModuleContext): Implementation | null {
  const facts = addonHere(context.facts.native!);
  if (typeof facts === "string") {
    context.explain(facts);
    return null;
  }
  try {
    const path = builtin("node:url")!.fileURLToPath(facts.url());
    const addon = builtin("node:module")!.createRequire(path)(path) as Functions & Partial<CpuAddon>;
    const lack = isToldByAddon() ? whyNotOnCpu(facts, () => addon.features?.() ?? []) : null;
    if (lack !== null) {
      context.explain(lack);
      return null;
    }
    return { kind: "native", open: () => openFunctions(context, facts, addon) };
  } catch (error) {
    context.explain(`the addon cannot be loaded: ${(error as Error).message.split("\n")[0]}`);
    return null;
  }
}

export const native: Way = (context) => {
  const now = (): Implementation | null => load(context);
  return { now, soon: async () => now(), mustWait: () => false };
};
