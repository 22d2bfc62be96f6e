// A kernel and work that measures → what the work returns, or why nothing can be run here.

import { needsToolchain } from "../../../compiler/index.ts";
import { withDirectoryIf } from "../../../native/file/private-directory.ts";
import type { Measurement } from "../../../tuner/data/measurement.ts";
import { referenceOf } from "../../../tuner/workbench/reference.ts";
import { checkDeadlineMs, tooSlow } from "../../../tuner/workbench/too-slow.ts";
import type { Workbench } from "../../../tuner/workbench/workbench.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { whyNotRun } from "../context/why-not-run.ts";

/**
 * Does work that needs the task's right answers and a place to run kernels.
 *
 * @param samples most samples of a kernel; undefined: as few as in a search
 * @returns what the work returns; text: why nothing can be run here
 */
export async function onWorkbench<Result>(
  context: KernelContext,
  samples: number | undefined,
  work: (workbench: Workbench) => Promise<Result>,
): Promise<Result | string> {
  const { task, services } = context;
  const isNative = needsToolchain(task.target);
  const toolchain = isNative ? await context.toolchain() : null;
  const why = await whyNotRun(context);
  if (why !== null) return why;
  if (isNative && !toolchain) return "there is no compiler";
  return withDirectoryIf(isNative, async (directory) => {
    const { signal } = services;
    const { threads } = task;
    const amount = samples === undefined ? {} : { samples };
    const limits = { threads, deadlineMs: checkDeadlineMs };
    const options = { ...referenceOf(task), toolchain, directory, signal, ...limits, ...amount };
    const workbench = await context.workbench(options);
    try {
      return await work(workbench);
    } finally {
      await workbench.close();
    }
  });
}

/** Says why a measurement does not show that a kernel is right; null: it does. A slow one may be right, but nobody has seen it. */
export function reasonOf(measurement: Measurement): string | null {
  if (measurement.kind === "ok") return null;
  return measurement.kind === "timed-out" ? tooSlow(measurement.deadlineMs) : measurement.reason;
}
