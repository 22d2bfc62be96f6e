// An addon that was built elsewhere, loaded in a child process and run against the reference, before a build takes it.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GeneratedKernel } from "../../compiler/index.ts";
import { withPrivateDirectory } from "../../native/private-directory.ts";
import { createRunner, type Runner } from "../../native/runner/client.ts";
import type { Runnable } from "../../native/runner/protocol.ts";
import { boundsOf } from "../../tuner/measurable.ts";
import { measureCandidate } from "../../tuner/measure/measure.ts";
import type { Measurement } from "../../tuner/measure/measurement.ts";
import { referenceOf } from "../../tuner/reference.ts";
import type { KernelContext } from "../compile/kernel-context.ts";
import type { Schedule } from "../compile/schedule.ts";
import { spaceOf } from "../compile/schedule-source.ts";

/** Says why the addon is not taken; null: it computes what the reference does. One that is too slow to be checked is not taken. */
export async function addonProblem(
  { services: { signal } }: KernelContext,
  schedule: Schedule,
  kernel: GeneratedKernel,
  addon: Uint8Array,
): Promise<string | null> {
  return withPrivateDirectory(async (directory) => {
    const path = join(directory, "signed.node");
    await writeFile(path, addon, { mode: 0o600 });
    const runner = createRunner({ signal });
    try {
      const measurement = await run(runner, schedule, runnableOf(schedule, kernel, path));
      if (measurement.kind === "ok") return null;
      return measurement.kind === "timed-out" ? "it runs too long to be checked" : measurement.reason;
    } finally {
      await runner.close();
    }
  });
}

function runnableOf({ task, candidate }: Schedule, { source, prepare }: GeneratedKernel, path: string): Runnable {
  const { features } = task.target;
  const kernel = { kind: "native", path, index: 1, features } as const;
  const preparation = prepare ? { kernel, parameters: prepare.parameters, used: source.parameters } : undefined;
  return { kind: "native", path, index: 0, features, bounds: boundsOf(task, spaceOf(task), candidate), preparation };
}

/** Runs it once more against answers in f64 where the first say that it is wrong, as a tuning does. */
async function run(runner: Runner, { task }: Schedule, candidate: Runnable): Promise<Measurement> {
  const { task: reference, conditioned } = referenceOf(task);
  const options = { incumbentNs: null, cache: "hot", samples: 1 } as const;
  runner.setTask(reference);
  const first = await measureCandidate(runner, candidate, options);
  const better = first.kind === "wrong-result" ? conditioned?.() : null;
  if (!better) return first;
  runner.setTask(better);
  return measureCandidate(runner, candidate, options);
}
