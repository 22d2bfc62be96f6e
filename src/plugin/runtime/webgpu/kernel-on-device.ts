// A kernel's functions on one device: pipelines, scratch memory, and the dispatches of a run on given buffers.

import type { DeviceFunction } from "../gpu/layer.ts";
import type { GpuCode } from "./gpu-facts.ts";
import { type Pipelines, pipelinesOf } from "./pipelines.ts";
import { createBuffer } from "./transfer.ts";

/** @throws what the device says of the text, or of its scratch memory */
export async function functionOn(
  device: GPUDevice,
  code: GpuCode,
): Promise<DeviceFunction<GPUBuffer, GPUComputePassEncoder>> {
  const pipelines = await pipelinesOf(device, code);
  const scratch = code.scratch.map((bytes, at) => createBuffer(device, Math.ceil(bytes / 16) * 16, `scratch ${at}`));
  let last: readonly GPUBuffer[] = [];
  let groups: readonly GPUBindGroup[] = [];
  return {
    encode(pass, buffers) {
      const isSame = buffers.length === last.length && buffers.every((buffer, at) => buffer === last[at]);
      // A chain that is encoded again has the same buffers.
      if (!isSame) groups = bindGroups(device, code, pipelines, [...buffers, ...scratch]);
      last = buffers;
      for (const [at, { grid }] of code.launches.entries()) {
        pass.setPipeline(pipelines[at]!);
        pass.setBindGroup(0, groups[at]!);
        pass.dispatchWorkgroups(...grid);
      }
    },
    destroy() {
      for (const buffer of scratch) buffer.destroy();
      last = [];
      groups = [];
    },
  };
}

const bindGroups = (
  device: GPUDevice,
  { launches }: GpuCode,
  pipelines: Pipelines,
  all: readonly GPUBuffer[],
): readonly GPUBindGroup[] =>
  launches.map(({ arrays }, at) =>
    device.createBindGroup({
      layout: pipelines[at]!.getBindGroupLayout(0),
      entries: arrays.map((binding) => ({ binding, resource: { buffer: all[binding]! } })),
    }),
  );
