// Verifies a locked kernel: its decision has to generate the source that the lock knows, and the built kernel has to
// compute what the reference does.

import { measurable } from "../../tuner/measurable.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import { measureAll } from "../../tuner/workbench.ts";
import { refuse } from "../refuse.ts";
import { checkTwins } from "./check-twins.ts";
import { decideSchedule } from "./decide-schedule.ts";
import type { KernelContext } from "./kernel-context.ts";
import { otherSource, wasmTwins } from "./make-artifacts.ts";
import { onWorkbench, reasonOf } from "./on-workbench.ts";
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
