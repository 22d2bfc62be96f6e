// Verifies a locked kernel: its decision has to generate the source that the lock knows, and the built kernel has to
// compute what the reference does.

import { refuse } from "../../../compiler/index.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { generateSpace } from "../../../tuner/space/generate.ts";
import { measurable } from "../../../tuner/workbench/measurable.ts";
import { measureAll } from "../../../tuner/workbench/workbench.ts";
import { otherSource, wasmTwins } from "../artifacts/make-artifacts.ts";
import { checkTwins } from "../check/check-twins.ts";
import { onWorkbench, reasonOf } from "../check/on-workbench.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { decideSchedule } from "../decision/decide-schedule.ts";
import { generated } from "../source/schedule-source.ts";

export interface VerifiedKernel {
  /** Why it was not run, though it is what the lock says; null: it was. */
  readonly notRun: string | null;
}

/**
 * @param context in mode `frozen`
 * @throws DiagnosticError `frozen.miss`, `lock.broken`, `lock.version`, `lock.other-source`, `verify.wrong`, `twin.wrong`
 */
export async function verifyKernel(context: KernelContext): Promise<VerifiedKernel> {
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
async function runSchedule(context: KernelContext, schedule: Decision): Promise<string | null> {
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
