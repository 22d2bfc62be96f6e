// Code of a candidate for WebGPU on the page's adapter, with its arrays in buffers there.

import { findDevice } from "../../../plugin/runtime/webgpu/device.ts";
import { functionOn } from "../../../plugin/runtime/webgpu/kernel-on-device.ts";
import { bufferBytes, createBuffer, Staging, upload } from "../../../plugin/runtime/webgpu/transfer.ts";
import type { JobCode, JobTensor } from "../messages.ts";
import type { Bytes, OpenFunction } from "./open-function.ts";

/** Most runs of one submission: a driver ends what takes too long. */
const mostRuns = 256;

const shapeOf = ({ array, length }: JobTensor) => ({
  array: (globalThis as unknown as Record<string, Uint8ArrayConstructor>)[array]!,
  length,
});

export async function openWgsl(
  { text, launches, scratch }: Extract<JobCode, { readonly kind: "wgsl" }>,
  tensors: readonly JobTensor[],
): Promise<OpenFunction> {
  const found = await findDevice();
  if (found.kind === "none") throw new Error(found.reason);
  const { device } = found;
  const own = await functionOn(device, { text, launches, scratch: scratch.map(({ bytes }) => bytes) });
  const buffers = tensors.map((tensor) => createBuffer(device, bufferBytes(shapeOf(tensor)), tensor.name));
  const bufferOf = (tensor: JobTensor): GPUBuffer => buffers[tensors.indexOf(tensor)]!;
  // Elements that a candidate does not write are seen by this pattern.
  for (const tensor of tensors)
    if (tensor.role === "output") upload(device, bufferOf(tensor), new Uint8Array(bufferOf(tensor).size).fill(0xff));
  const staging = new Staging(device);
  const submit = (count: number): void => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (let at = 0; at < count; at++) own.encode(pass, buffers);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  return {
    write: (tensor, values) => upload(device, bufferOf(tensor), values),
    async read(tensor) {
      const copy = staging.take(bufferOf(tensor).size);
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(bufferOf(tensor), 0, copy, 0, copy.size);
      device.queue.submit([encoder.finish()]);
      const array = await staging.read(copy, shapeOf(tensor));
      return new Uint8Array(array.buffer) as Bytes;
    },
    async run(count) {
      device.pushErrorScope("validation");
      for (let left = count; left > 0; left -= mostRuns) submit(Math.min(left, mostRuns));
      const error = device.popErrorScope();
      await device.queue.onSubmittedWorkDone();
      const said = await error;
      if (said) throw new Error(said.message.split("\n")[0]);
    },
    close() {
      own.destroy();
      for (const buffer of buffers) buffer.destroy();
    },
  };
}
