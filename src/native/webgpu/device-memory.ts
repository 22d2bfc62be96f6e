// Memory of a device for the arguments of kernels: one buffer a parameter, with a red zone behind it, so that a kernel that writes past
// its array is caught. What lies before an array no kernel reaches. Kernels on the same arrays share it.

import type { KernelParameter } from "../../compiler/index.ts";
import { bytesOf } from "../runner/arena.ts";
import type { KernelArray } from "../runner/protocol.ts";
import { type GpuDevice, withErrors } from "./device.ts";

const zoneBytes = 256;
const zoneByte = 0xff;
/** Buffers end at a multiple of it. */
const blockBytes = 16;

export interface DeviceMemory {
  /** Buffers of the parameters, in order. */
  readonly buffers: readonly GPUBuffer[];
  /** Copies the arrays to the device, and repairs the red zones. */
  upload(): void;
  /** Copies from the device to the arrays. Resolves to the name of a parameter behind which was written, or to null. */
  download(): Promise<string | null>;
  free(): void;
}

const blocksOf = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;

export async function deviceMemory(
  gpu: GpuDevice,
  parameters: readonly KernelParameter[],
  arrays: readonly KernelArray[],
): Promise<DeviceMemory> {
  const { device, dawn } = gpu;
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = dawn.globals.GPUBufferUsage;
  const places = await withErrors(device, () =>
    arrays.map((array) => {
      const bytes = bytesOf(array);
      const size = blocksOf(bytes.length) + zoneBytes;
      const buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
      const back = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
      return { bytes, size, buffer, back };
    }),
  );
  return {
    buffers: places.map(({ buffer }) => buffer),
    upload() {
      for (const { bytes, size, buffer } of places) {
        const whole = new Uint8Array(size).fill(zoneByte);
        whole.set(bytes);
        device.queue.writeBuffer(buffer, 0, whole);
      }
    },
    async download() {
      const encoder = device.createCommandEncoder();
      for (const { buffer, back, size } of places) encoder.copyBufferToBuffer(buffer, 0, back, 0, size);
      device.queue.submit([encoder.finish()]);
      let touched: string | null = null;
      for (const [at, { bytes, back }] of places.entries()) {
        await back.mapAsync(dawn.globals.GPUMapMode.READ);
        const whole = new Uint8Array(back.getMappedRange());
        bytes.set(whole.subarray(0, bytes.length));
        if (whole.subarray(bytes.length).some((byte) => byte !== zoneByte)) touched ??= parameters[at]!.name;
        back.unmap();
      }
      return touched;
    },
    free() {
      for (const { buffer, back } of places) {
        buffer.destroy();
        back.destroy();
      }
    },
  };
}

/** A buffer of scratch memory that launches pass on. */
export const scratchBuffer = ({ device, dawn }: GpuDevice, bytes: number): GPUBuffer =>
  device.createBuffer({ size: blocksOf(bytes), usage: dawn.globals.GPUBufferUsage.STORAGE });
