// Calls on arrays by a device: inputs are copied to buffers of the kernel's own, outputs come back as arrays. The queue runs calls one after
// the other, so one set of buffers serves any number of them.

import type { ArrayRunner } from "../gpu/gpu-api.ts";
import type { Arrays, ModuleContext, RuntimeTensor } from "../implementation.ts";
import type { GpuSchedule } from "./gpu-facts.ts";
import { openLayer } from "./layer.ts";
import { bufferBytes, createBuffer, Staging, submitPass, upload } from "./transfer.ts";

/** Collects what a device says of all that is asked of it in the meantime. */
async function watched<T>(device: GPUDevice, ask: () => Promise<T>): Promise<T> {
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  const answer = ask();
  const [result, ...errors] = await Promise.all([answer, device.popErrorScope(), device.popErrorScope()]);
  const error = errors.find((it) => it !== null);
  if (error) throw new Error(error.message.split("\n")[0]);
  return result;
}

/** @throws what the device says of the code, or of its memory */
export async function openArrayRunner(
  context: ModuleContext,
  facts: GpuSchedule,
  device: GPUDevice,
): Promise<ArrayRunner> {
  const { others } = context;
  const layer = await openLayer(context, facts, device);
  const outputs = others.filter(({ role }) => role === "output");
  const buffers: GPUBuffer[] = await watched(device, async () =>
    others.map((tensor) => createBuffer(device, bufferBytes(tensor), tensor.name)),
  );
  const ofOutput = (tensor: RuntimeTensor): GPUBuffer => buffers[others.indexOf(tensor)]!;
  const staging = new Staging(device);
  const start = (inputs: Arrays, constants: Arrays | null): Promise<Arrays> => {
    if (constants) layer.setArrays(constants);
    for (const [at, input] of inputs.entries()) upload(device, buffers[at]!, input);
    const copies = outputs.map((tensor) => staging.take(bufferBytes(tensor)));
    submitPass(
      device,
      (pass) => layer.encode(pass, buffers),
      (encoder) => {
        for (const [at, copy] of copies.entries())
          encoder.copyBufferToBuffer(ofOutput(outputs[at]!), 0, copy, 0, copy.size);
      },
    );
    return Promise.all(copies.map((copy, at) => staging.read(copy, outputs[at]!)));
  };
  return {
    set: (constants) => layer.setArrays(constants),
    run: (inputs, constants) => watched(device, () => start(inputs, constants)),
    destroy() {
      layer.destroy();
      for (const buffer of buffers) buffer.destroy();
    },
  };
}
