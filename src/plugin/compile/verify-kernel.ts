// Verifies a locked kernel: its decision has to generate the source that the lock knows, and the built kernel has to
// compute what the reference does.

import { withDirectoryIf } from "../../native/private-directory.ts";
import { missingFeatures } from "../../native/toolchain/machine.ts";
import { measurable } from "../../tuner/measurable.ts";
import type { Measurement } from "../../tuner/measure/measurement.ts";
import { referenceOf } from "../../tuner/reference.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import { measureAll } from "../../tuner/workbench.ts";
import { checkTwins } from "./check-twins.ts";
import { decideSchedule } from "./decide-schedule.ts";
import { type KernelContext, refuse } from "./kernel-context.ts";
import { otherSource, wasmTwins } from "./make-artifacts.ts";
import type { Schedule } from "./schedule.ts";
import { generated } from "./schedule-source.ts";

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
export async function runSchedule(context: KernelContext, schedule: Schedule): Promise<string | null> {
  const { task, candidate } = schedule;
  const isNative = task.target.codegen === "c";
  const toolchain = isNative ? await context.toolchain() : null;
  const missing = missingFeatures(task.target, context.machine);
  if (missing.length > 0) return `the CPU has no ${missing.join(", ")}`;
  if (isNative && !toolchain) return "there is no compiler";
  await withDirectoryIf(isNative, async (directory) => {
    const { signal } = context.services;
    const threads = task.threads;
    const workbench = await context.workbench({ ...referenceOf(task), toolchain, directory, signal, threads });
    try {
      const source = measurable(task, generateSpace(task), candidate);
      const [value] = await measureAll(workbench, [source]);
      const reason = value && reasonOf(value);
      if (reason) throw refuse("verify.wrong", `${context.lockName}: ${reason}`, "tune it again");
      await checkTwins(workbench, context, await wasmTwins(context, schedule));
    } finally {
      await workbench.close();
    }
  });
  return null;
}

/** Says what is wrong with a measured kernel; null: nothing is. A slow one may be right. */
const reasonOf = (measurement: Measurement): string | null =>
  measurement.kind === "ok" || measurement.kind === "timed-out" ? null : measurement.reason;
