// A kernel of ours on a device, of Dawn's or of a page: opened for a work, whose arrays stay in buffers.

import type { WgslSource } from "../../../src/compiler/index.ts";
import type { KernelArray, RunTask } from "../../../src/native/runner/protocol.ts";
import type { GpuDevice } from "../../../src/native/webgpu/device.ts";
import { deviceMemory, scratchBuffer } from "../../../src/native/webgpu/device-memory.ts";
import { launchedKernel } from "../../../src/native/webgpu/launches.ts";
import type { OpenedOnGpu } from "./entrant.ts";

export async function openOurs(gpu: GpuDevice, source: WgslSource, task: RunTask): Promise<OpenedOnGpu> {
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
