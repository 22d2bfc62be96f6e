// Why kernels of a target are not run on this machine: its CPU is another, or the device of the back end is missing.

import { asCpu } from "../../../compiler/index.ts";
import { whyNotMeasuredHere } from "../../../native/machine/machine.ts";
import type { KernelContext } from "./kernel-context.ts";

/** Null: they are. */
export async function whyNotRun({ task, machine, whyNotHere, services }: KernelContext): Promise<string | null> {
  const { target } = task;
  if (asCpu(target)) return whyNotHere ?? whyNotMeasuredHere(target, machine);
  const { executorNamed } = await import("../../../native/backend/executors.ts");
  return (await executorNamed(target.backend).whyNotHere?.(services.options.root)) ?? null;
}
