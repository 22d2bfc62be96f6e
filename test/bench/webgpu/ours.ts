// Kernels of ours: the schedule that is predicted for every GPU, the one that is predicted for software adapters, where a tuning on such
// begins, and the one that a tuning finds.

import { predictSchedule, tune } from "../../../src/api/index.ts";
import { instantiate, type Op, targetForGpu, type WgslSource, webgpu } from "../../../src/compiler/index.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";

export const taskOnGpu = (op: Op): TuningTask => ({
  op: instantiate(op, {}, "kernel"),
  target: webgpu,
  numerics: "fast",
  threads: 1,
});

export const predicted = (op: Op): Candidate => predictSchedule(op, { target: "webgpu" });

const softwareClass = targetForGpu(webgpu, "software")!;

/** Schedules by their names in a row; of software adapters also what is predicted for their class. */
export const predictedSchedules = (op: Op, isSoftware: boolean): Readonly<Record<string, Candidate>> => ({
  predicted: predicted(op),
  ...(isSoftware && { [`predicted for ${softwareClass}`]: predictSchedule(op, { target: softwareClass }) }),
});

const tuningSeconds = 300;

export async function tuned(op: Op, trials: number): Promise<Candidate> {
  const { schedule } = await tune(op, { target: "webgpu", budget: { trials, seconds: tuningSeconds } });
  return schedule;
}

export function sourceOf(op: Op, candidate: Candidate): WgslSource {
  const task = taskOnGpu(op);
  const kernel = candidateKernel(task, generateSpace(task), candidate);
  if (kernel.kind !== "ok") throw new Error(kernel.diagnostic.message);
  return kernel.source as WgslSource;
}
