// Verifies a locked kernel: its decision has to generate the source that the lock knows, and the built kernel has to
// compute what the reference does.

import { needsToolchain } from "../../../compiler/index.ts";
import { withDirectoryIf } from "../../../native/file/private-directory.ts";
import { missingFeatures } from "../../../native/machine/machine.ts";
import type { Measurement } from "../../../tuner/data/measurement.ts";
import { generateSpace } from "../../../tuner/space/generate.ts";
import { measurable } from "../../../tuner/workbench/measurable.ts";
import { referenceOf } from "../../../tuner/workbench/reference.ts";
import { measureAll, type Workbench } from "../../../tuner/workbench/workbench.ts";
import { otherSource, wasmTwins } from "../artifacts/make-artifacts.ts";
import { checkTwins } from "../check/check-twins.ts";
import { checkDeadlineMs, tooSlow } from "../check/too-slow.ts";
import { type KernelContext, refuse } from "../context/kernel-context.ts";
import { decideSchedule } from "../decision/decide-schedule.ts";
import type { Schedule } from "../schedule.ts";
import { generated } from "../source/schedule-source.ts";

export interface Verified {
  /** Why it was not run, though it is what the lock says; null: it was. */
  readonly notRun: string | null;
}

/**
 * @param context in mode `frozen`
 * @throws DiagnosticError `frozen.miss`, `lock.broken`, `lock.version`, `lock.other-source`, `verify.wrong`, `twin.wrong`
 */
export async function verifyKernel(context: KernelContext): Promise<Verified> {
  const decision = await decideSchedule(context);
  if (!generated(decision)) throw otherSource(context);
  return { notRun: await runSchedule(context, decision) };
}

/**
 * Builds a schedule and runs it and its twins against the reference.
 *
 * @returns why it cannot be run here; null: it was, and is right
 * @throws DiagnosticError `verify.wrong`, `twin.wrong`
 */
async function runSchedule(context: KernelContext, schedule: Schedule): Promise<string | null> {
  const { task, candidate } = schedule;
  return onWorkbench({ ...context, task }, undefined, async (workbench) => {
    const [value] = await measureAll(workbench, [measurable(task, generateSpace(task), candidate)]);
    const reason = value ? reasonOf(value) : null;
    const isSlow = value?.kind === "timed-out";
    if (reason && !isSlow) throw refuse("verify.wrong", `${context.lockName}: ${reason}`, "tune it again");
    const unchecked = await checkTwins(workbench, context, await wasmTwins(context, schedule));
    return isSlow ? reason : unchecked;
  });
}

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
  const missing = missingFeatures(task.target, context.machine);
  if (missing.length > 0) return `the CPU has no ${missing.join(", ")}`;
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
