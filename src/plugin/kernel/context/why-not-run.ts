// Why kernels of a target are not run on this machine: its CPU is another, or the device of the back end is missing.

import { asCpu } from "../../../compiler/index.ts";
import type { KernelContext } from "./kernel-context.ts";

/** Null: they are, or a browser runs them in place of this machine. A device is asked for when the first kernel for it wants to know. */
export async function whyNotRun({ task, whyNotHere, services, browser }: KernelContext): Promise<string | null> {
  const { target } = task;
  if (asCpu(target)) return whyNotHere;
  if (browser) return null;
  const { executorNamed } = await import("../../../native/backend/executors.ts");
  return (await executorNamed(target.backend).whyNotHere?.(services.options.root, target)) ?? null;
}
