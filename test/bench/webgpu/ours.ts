// Kernels of ours on the shared device: the schedule that is predicted for every GPU, and the one that a tuning on this one finds.

import { predictSchedule, tune } from "../../../src/api/index.ts";
import { instantiate, type Op, type WgslSource, webgpu } from "../../../src/compiler/index.ts";
import type { KernelArray, RunTask } from "../../../src/native/runner/protocol.ts";
import { deviceMemory, scratchBuffer } from "../../../src/native/webgpu/device-memory.ts";
import { launchedKernel } from "../../../src/native/webgpu/launches.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import type { OpenedOnGpu } from "./entrant.ts";
import type { SharedDevice } from "./shared-device.ts";

export const taskOnGpu = (op: Op): TuningTask => ({
  op: instantiate(op, {}, "kernel"),
  target: webgpu,
  numerics: "fast",
  threads: 1,
});

export const predicted = (op: Op): Candidate => predictSchedule(op, { target: "webgpu" });

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

export async function openOurs(gpu: SharedDevice, source: WgslSource, task: RunTask): Promise<OpenedOnGpu> {
  const outputs = task.expected.map(({ values }): KernelArray => values.slice().fill(Number.NaN));
  const memory = await deviceMemory(gpu, source.parameters, [...task.inputs, ...outputs]);
  const scratch = source.scratch.map(({ bytes }) => scratchBuffer(gpu, bytes));
  const kernel = await launchedKernel(gpu, source, [...memory.buffers, ...scratch]);
  memory.upload();
  return {
    async submit(runs) {
      await kernel.run(runs);
    },
    async result() {
      const touched = await memory.download();
      if (touched !== null) throw new Error(`it wrote outside of ${touched}`);
      return outputs[0]!;
    },
    close() {
      memory.free();
      for (const buffer of scratch) buffer.destroy();
    },
  };
}
