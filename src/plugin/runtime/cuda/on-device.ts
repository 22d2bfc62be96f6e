// A kernel on a GPU of the caller's: it takes and gives memory there, so that a chain of kernels stays on the GPU and is added to one stream.

import type { CudaBuffer, CudaDevice, KernelOnCuda } from "../../../compiler/index.ts";
import { whyNotOnGpu } from "../../../native/cuda/devices.ts";
import { arrayFor } from "../arguments.ts";
import { callsOnDevice } from "../gpu/calls-on-device.ts";
import type { Arrays, ModuleContext, RuntimeTensor } from "../implementation.ts";
import { cudaDevice, handleOf, isDevice } from "./cuda-device.ts";
import type { CudaFacts } from "./cuda-facts.ts";
import { bytesOf, openLayer } from "./layer.ts";
import { openGpu, ownStream } from "./open-gpu.ts";
import { whenUnused } from "./when-unused.ts";

function deviceOf(given: unknown, name: string): CudaDevice {
  if (given === undefined) return cudaDevice(0);
  if (typeof given === "number" && Number.isInteger(given) && given >= 0) return cudaDevice(given);
  if (isDevice(given)) return given;
  throw new TypeError(`${name}.on takes the device of a kernel, or the number of a GPU`);
}

function addressFor(given: unknown, tensor: RuntimeTensor, device: CudaDevice, name: string): bigint {
  const { address, bytes, device: on } = (given ?? {}) as Partial<CudaBuffer>;
  const what = `${name}: ${tensor.name} must be memory of GPU ${device.index}, of at least ${bytesOf(tensor)} bytes`;
  if (typeof address !== "bigint" || typeof bytes !== "number") throw new TypeError(what);
  if (bytes < bytesOf(tensor)) throw new RangeError(`${what}; it has ${bytes}`);
  if (on !== undefined && on !== device) throw new TypeError(`${what}; it is on GPU ${on.index}`);
  return address;
}

/**
 * @param given constants of a packed layer; null: calls take the constants, too
 * @throws TypeError if it is no device; the reason why the kernel does not run there
 */
export async function openOn(
  context: ModuleContext,
  facts: CudaFacts,
  where: unknown,
  given: Arrays | null,
): Promise<KernelOnCuda> {
  const { op } = context.facts;
  const device = deviceOf(where, op);
  await device.ready();
  const gpu = openGpu(device.index);
  const why = whyNotOnGpu(gpu.gpu, facts.architecture);
  if (why !== null) throw new Error(`${op}: ${why}`);
  const layer = await openLayer(context, facts, gpu);
  if (given) layer.setArrays(given);
  const memoryFor = (buffer: unknown, tensor: RuntimeTensor): bigint => addressFor(buffer, tensor, device, op);
  const { tensorNamed, encode } = callsOnDevice(context, layer, given !== null, memoryFor);
  let isDestroyed = false;
  const launch = (stream: bigint, buffers: readonly unknown[]): void => {
    if (isDestroyed) throw new Error(`${op} was destroyed on GPU ${device.index}`);
    encode(stream, buffers);
  };
  const kernel: KernelOnCuda = {
    device,
    buffer(name, values) {
      const tensor = tensorNamed(name);
      const array = values === undefined ? null : arrayFor(values, tensor, `${op}: ${name}`);
      const buffer = device.alloc(bytesOf(tensor));
      if (array) device.upload(buffer, array);
      return buffer;
    },
    encode: (stream, ...buffers) => launch(handleOf(device, stream), buffers),
    run: (...buffers) => launch(ownStream, buffers),
    async read(name, buffer) {
      const tensor = tensorNamed(name);
      const array = new tensor.array(tensor.length);
      await gpu.download(memoryFor(buffer, tensor), array, ownStream);
      return array;
    },
    destroy() {
      whenUnused.unregister(kernel);
      if (!isDestroyed) layer.destroy();
      isDestroyed = true;
    },
  };
  whenUnused.register(kernel, layer.destroy, kernel);
  return kernel;
}
