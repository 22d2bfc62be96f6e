// An artifact that was just built, run once against the reference: what a compiler made of a right source need not be right.

import { refuse } from "../compiler/index.ts";
import type { CpuArtifact } from "../native/addon/artifact.ts";
import { runnablesOf } from "../native/backend/artifact.ts";
import { detectMachine, whyNotMeasuredHere } from "../native/machine/machine.ts";
import { createRunner } from "../native/runner/client.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import { outcomesOn } from "../tuner/workbench/outcomes-on.ts";
import { answersTooLate, mostAnswersMs, referenceOf } from "../tuner/workbench/reference.ts";
import { type MeasurableSource, readyToRun } from "../tuner/workbench/runnable-builder.ts";
import { checkDeadlineMs } from "../tuner/workbench/too-slow.ts";

/**
 * Runs an artifact in a process of its own, where this machine runs its target and the right answers take no more than seconds.
 *
 * @throws DiagnosticError `verify.wrong`
 */
export async function checkArtifact(task: TuningTask, source: MeasurableSource, artifact: CpuArtifact): Promise<void> {
  if (whyNotMeasuredHere(task.target, detectMachine()) !== null || answersTooLate(task, () => mostAnswersMs)) return;
  const { kernel, preparation } = runnablesOf(artifact);
  const built = readyToRun(kernel, source, preparation);
  if (built.kind !== "ready") return;
  const runner = createRunner({ deadlineMs: checkDeadlineMs, relaxedSimd: true, exclusive: false });
  const [outcome] = await outcomesOn(runner, referenceOf(task), [built.candidate]);
  // One that is slow, or whose numbers cancel, may be right.
  if (!outcome || ["ok", "timed-out", "ill-conditioned"].includes(outcome.kind)) return;
  const why = "reason" in outcome ? outcome.reason : outcome.kind;
  throw refuse(
    "verify.wrong",
    `${task.op.name}: its kernel for ${task.target.name}: ${why}`,
    "name another compiler: UNPLUGIN_KERNEL_COMPILER",
  );
}
