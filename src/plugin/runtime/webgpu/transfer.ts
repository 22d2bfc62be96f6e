// Typed arrays ↔ buffers of a device. Buffers end at a multiple of 16 bytes, as a kernel may read its arrays by vectors.

import type { TypedArray } from "../../../compiler/index.ts";
import type { RuntimeTensor } from "../implementation.ts";
import { bufferUsage, mapRead } from "./usage.ts";

type Shape = Pick<RuntimeTensor, "array" | "length">;

const paddedTo = (bytes: number, multiple: number): number => Math.ceil(bytes / multiple) * multiple;

const bytesOf = ({ array, length }: Shape): number =>
  length * (array as unknown as { readonly BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;

/** Bytes of the buffer that holds a tensor. */
export const bufferBytes = (tensor: Shape): number => paddedTo(bytesOf(tensor), 16);

/** Bytes that a buffer of somebody else's has to have: copies are made by words. */
export const leastBytes = (tensor: Shape): number => paddedTo(bytesOf(tensor), 4);

export function createBuffer(device: GPUDevice, size: number, label: string): GPUBuffer {
  const { storage, copySource, copyTarget } = bufferUsage;
  return device.createBuffer({ label, size, usage: storage | copySource | copyTarget });
}

/** Copies an array into a buffer. The queue has taken it when this returns. */
export function upload({ queue }: GPUDevice, buffer: GPUBuffer, array: TypedArray): void {
  const { buffer: memory, byteOffset, byteLength } = array;
  const whole = byteLength - (byteLength % 4);
  // Pages may share memory with workers, and queues take no such memory.
  const bytes =
    memory instanceof ArrayBuffer
      ? new Uint8Array(memory, byteOffset, byteLength)
      : new Uint8Array(array.slice().buffer as ArrayBuffer);
  if (whole > 0) queue.writeBuffer(buffer, 0, bytes, 0, whole);
  if (whole === byteLength) return;
  const rest = new Uint8Array(4);
  rest.set(bytes.subarray(whole));
  queue.writeBuffer(buffer, whole, rest);
}

/** Encodes a pass of its own and submits it. @param behind adds copies that follow the pass */
export function submitPass(
  device: GPUDevice,
  encode: (pass: GPUComputePassEncoder) => void,
  behind?: (encoder: GPUCommandEncoder) => void,
): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  encode(pass);
  pass.end();
  behind?.(encoder);
  device.queue.submit([encoder.finish()]);
}

/** Buffers that the CPU reads, kept for the next call. */
export class Staging {
  readonly #device: GPUDevice;
  readonly #free = new Map<number, GPUBuffer[]>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Returns a buffer of so many bytes, which the caller gives back. */
  take(size: number): GPUBuffer {
    const usage = bufferUsage.mapRead | bufferUsage.copyTarget;
    return this.#free.get(size)?.pop() ?? this.#device.createBuffer({ size, usage });
  }

  /** Reads what was copied to a buffer, as the array of a tensor, and gives the buffer back. */
  async read(buffer: GPUBuffer, { array, length }: Shape): Promise<TypedArray> {
    await buffer.mapAsync(mapRead);
    const bytes = buffer.getMappedRange().slice(0, bytesOf({ array, length }));
    buffer.unmap();
    this.#free.set(buffer.size, [...(this.#free.get(buffer.size) ?? []), buffer]);
    return new (array as unknown as new (memory: ArrayBuffer) => TypedArray)(bytes);
  }
}
