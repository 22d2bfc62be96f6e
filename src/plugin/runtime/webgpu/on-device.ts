// A kernel on a device of the caller's: it takes and gives buffers there, so that a chain of kernels stays on the GPU and is encoded into one
// pass. TypeGPU's roots and buffers are taken as well.

import type { KernelOnDevice } from "../../../compiler/index.ts";
import { arrayFor } from "../arguments.ts";
import { callsOnDevice } from "../gpu/calls-on-device.ts";
import { noSchedule } from "../gpu/gpu-api.ts";
import type { Arrays, ModuleContext, RuntimeTensor } from "../implementation.ts";
import { type GpuFacts, schedulesFor } from "./gpu-facts.ts";
import { openLayer } from "./layer.ts";
import { bufferBytes, createBuffer, leastBytes, Staging, submitPass, upload } from "./transfer.ts";
import { bufferUsage } from "./usage.ts";

function deviceOf(given: unknown, name: string): GPUDevice {
  const { device } = (given ?? {}) as { device?: unknown };
  const found = (device ?? given) as GPUDevice | null | undefined;
  if (typeof found?.createComputePipelineAsync === "function") return found;
  throw new TypeError(`${name}.on takes a GPUDevice, or what has one as its member "device"`);
}

function bufferFor(given: unknown, tensor: RuntimeTensor, name: string): GPUBuffer {
  const found = ((given as { buffer?: unknown } | null)?.buffer ?? given) as GPUBuffer | null | undefined;
  const what = `${name}: ${tensor.name} must be a GPUBuffer of at least ${leastBytes(tensor)} bytes`;
  if (typeof found?.size !== "number" || typeof found.usage !== "number") throw new TypeError(what);
  if (found.size < leastBytes(tensor)) throw new RangeError(`${what}; it has ${found.size}`);
  if ((found.usage & bufferUsage.storage) === 0) throw new TypeError(`${what}, with usage STORAGE`);
  return found;
}

/**
 * @param given constants of a packed layer; null: calls take the constants, too
 * @throws TypeError if it is no device; what the device says of the kernel
 */
export async function openOn(
  context: ModuleContext,
  facts: GpuFacts,
  where: unknown,
  given: Arrays | null,
): Promise<KernelOnDevice> {
  const { op } = context.facts;
  const device = deviceOf(where, op);
  const [schedule] = schedulesFor(facts, device);
  if (!schedule) throw new Error(`${op}: ${noSchedule}`);
  const layer = await openLayer(context, schedule, device);
  if (given) layer.setArrays(given);
  const staging = new Staging(device);
  const memoryFor = (buffer: unknown, tensor: RuntimeTensor): GPUBuffer => bufferFor(buffer, tensor, op);
  const { tensorNamed, encode } = callsOnDevice(context, layer, given !== null, memoryFor);
  return {
    device,
    buffer(name, values) {
      const tensor = tensorNamed(name);
      const array = values === undefined ? null : arrayFor(values, tensor, `${op}: ${name}`);
      const buffer = createBuffer(device, bufferBytes(tensor), name);
      if (array) upload(device, buffer, array);
      return buffer;
    },
    encode: (pass, ...buffers) => encode(pass, buffers),
    run(...buffers) {
      submitPass(device, (pass) => encode(pass, buffers));
    },
    async read(name, buffer) {
      const tensor = tensorNamed(name);
      const from = memoryFor(buffer, tensor);
      const copy = staging.take(leastBytes(tensor));
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(from, 0, copy, 0, copy.size);
      device.queue.submit([encoder.finish()]);
      return staging.read(copy, tensor);
    },
    destroy: () => layer.destroy(),
  };
}
