// The addon of a kernel. The CPU is checked before the file is touched.

import { builtin } from "../../native/process/start-worker.ts";
import { whyNotNative } from "./cpu.ts";
import { type Functions, openFunctions } from "./functions.ts";
import type { Implementation, ModuleContext, Way } from "./implementation.ts";

/** `--no-addons`, a missing file and another C library all end in an error, which becomes the reason. */
function load(context: ModuleContext): Implementation | null {
  const { native } = context.facts;
  const why = whyNotNative(native!);
  if (why !== null) {
    context.explain(why);
    return null;
  }
  try {
    const path = builtin("node:url")!.fileURLToPath(native!.url());
    const addon = builtin("node:module")!.createRequire(path)(path) as Functions;
    return { kind: "native", open: () => openFunctions(context, native!, addon) };
  } catch (error) {
    context.explain(`the addon cannot be loaded: ${(error as Error).message.split("\n")[0]}`);
    return null;
  }
}

export const native: Way = (context) => {
  const now = (): Implementation | null => load(context);
  return { now, soon: async () => now(), mustWait: () => false };
};
