// A kernel with its constants on a device of WebGPU: runs are added to a compute pass.

import { arrayTypes, type TypedArray } from "../../../compiler/index.ts";
import { createLayer, type Layer } from "../gpu/layer.ts";
import type { ModuleContext } from "../implementation.ts";
import type { GpuSchedule } from "./gpu-facts.ts";
import { functionOn } from "./kernel-on-device.ts";
import { bufferBytes, createBuffer, submitPass, upload } from "./transfer.ts";

/** @throws what the device says of the code */
export async function openLayer(
  context: ModuleContext,
  schedule: GpuSchedule,
  device: GPUDevice,
): Promise<Layer<GPUBuffer, GPUComputePassEncoder>> {
  const functions = await Promise.all(schedule.code.map((each) => functionOn(device, each)));
  return createLayer(context, schedule, functions, {
    alloc: ({ name, dtype, length }) => createBuffer(device, bufferBytes({ array: arrayTypes[dtype], length }), name),
    upload: (to, from) => upload(device, to, from as TypedArray),
    free: (buffer: GPUBuffer) => buffer.destroy(),
    submit: (add) => submitPass(device, add),
  });
}
