// A GPU as programs see it, `gemm.device`: memory, copies and streams of their own. It is one object a GPU, and opened when it is used.

import type { CudaBuffer, CudaDevice, CudaMemory, CudaStream } from "../../../compiler/index.ts";
import { type OpenGpu, openedGpu, openGpu, openGpuSoon, ownStream } from "./open-gpu.ts";
import { whenUnused } from "./when-unused.ts";

const known = new Map<number, CudaDevice>();

/** Returns the object of a GPU, be it there or not. */
export function cudaDevice(index: number): CudaDevice {
  const device = known.get(index) ?? deviceAt(index);
  known.set(index, device);
  return device;
}

export const isDevice = (value: unknown): value is CudaDevice =>
  typeof value === "object" && value !== null && known.get((value as CudaDevice).index) === value;

function deviceAt(index: number): CudaDevice {
  let opened: OpenGpu | null = null;
  const gpu = (): OpenGpu => {
    opened ??= openGpu(index);
    return opened;
  };
  const device: CudaDevice = {
    index,
    get name() {
      return (opened ?? openedGpu(index))?.gpu.name ?? null;
    },
    async ready() {
      opened ??= await openGpuSoon(index);
      if (opened.lost !== null) throw new Error(opened.lost);
    },
    at: cudaDevice,
    alloc(bytes) {
      if (!Number.isSafeInteger(bytes) || bytes < 0)
        throw new RangeError(`alloc takes a whole number of bytes; got ${bytes}`);
      return bufferOf(device, gpu(), bytes);
    },
    upload(to, from, stream) {
      checkMemory(device, to, from);
      gpu().upload(to.address, from, handleOr(device, stream));
    },
    async download(from, into, stream) {
      checkMemory(device, from, into);
      await gpu().download(from.address, into, handleOr(device, stream));
      return into;
    },
    stream: () => streamOf(device, gpu()),
    wait: () => gpu().wait(),
  };
  return device;
}

/** Memory that is freed once. It knows nothing of the buffer that holds it, which is collected while this is kept. */
function memoryOf(gpu: OpenGpu, bytes: number) {
  const address = gpu.alloc(bytes);
  let left = bytes;
  let isFree = false;
  return {
    address,
    bytes: () => left,
    free() {
      if (!isFree) gpu.free(address);
      isFree = true;
      left = 0;
    },
  };
}

function bufferOf(device: CudaDevice, gpu: OpenGpu, size: number): CudaBuffer {
  const { address, bytes, free } = memoryOf(gpu, size);
  const buffer: CudaBuffer = {
    device,
    address,
    get bytes() {
      return bytes();
    },
    free() {
      whenUnused.unregister(buffer);
      free();
    },
  };
  whenUnused.register(buffer, free, buffer);
  return buffer;
}

function streamOf(device: CudaDevice, gpu: OpenGpu): CudaStream {
  const handle = gpu.read("cuStreamCreate", 0);
  return {
    device,
    handle,
    wait: () => gpu.finished(handle),
    destroy: () => gpu.release("cuStreamDestroy_v2", handle),
  };
}

/** Handle of a stream of the device. @throws TypeError if it is none */
export function handleOf(device: CudaDevice, stream: CudaStream): bigint {
  if (typeof stream?.handle === "bigint" && stream.device === device) return stream.handle;
  throw new TypeError(`a stream of GPU ${device.index} is wanted: device.stream() makes one`);
}

/** Handle of a stream that callers may leave out. */
const handleOr = (device: CudaDevice, stream: CudaStream | undefined): bigint =>
  stream === undefined ? ownStream : handleOf(device, stream);

/** @throws TypeError for memory of another GPU, RangeError for too little of it */
function checkMemory(device: CudaDevice, memory: CudaMemory, { byteLength }: ArrayBufferView): void {
  const on = (memory as Partial<CudaBuffer>).device;
  if (on !== undefined && on !== device)
    throw new TypeError(`the buffer is on GPU ${on.index}, and not on ${device.index}`);
  if (!(byteLength <= memory.bytes))
    throw new RangeError(`the array has ${byteLength} bytes, and the buffer ${memory.bytes}`);
}
