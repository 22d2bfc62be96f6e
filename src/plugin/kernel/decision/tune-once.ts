// Equal kernels of a build are tuned once.

import { taskIdentity } from "../../../tuner/data/task-key.ts";
import type { StartedTuning } from "../compile-services.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { found } from "./found.ts";
import { predicted } from "./known-schedule.ts";

/** Tunes equal kernels of a build once, even if their files have other names or they are asked for at other times. */
export async function tuneOnce(context: KernelContext): Promise<KernelDecision> {
  const { started } = context.services.tunings;
  const identity = taskIdentity(context.task);
  const same = started.get(identity);
  if (same) {
    same.kernels += 1;
    return shareDecision(context, await same.decision);
  }
  const decision = import("../tuning/tune-kernel.ts").then(({ tuneKernel }) =>
    tuneKernel(context, () => tuning.kernels),
  );
  const tuning: StartedTuning = { kernels: 1, decision };
  started.set(identity, tuning);
  return decision.catch((error: unknown) => {
    started.delete(identity);
    throw error;
  });
}

/** Decision of an equal kernel, for this one: another operator's name gives another source. */
async function shareDecision(context: KernelContext, { candidate, measured }: KernelDecision): Promise<KernelDecision> {
  if (measured === null) return predicted(context);
  const { task } = context;
  const { rescheduled } = await import("../source/schedule-source.ts");
  return found("shared", rescheduled(task, candidate), measured);
}
