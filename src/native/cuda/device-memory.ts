// Memory of a device for the arguments of kernels: one block a parameter, with red zones before and behind it, so that a kernel that
// writes past its array is caught. Kernels on the same arrays share it; it goes when the arrays do.

import type { KernelParameter } from "../../compiler/index.ts";
import { bytesOf } from "../runner/arena.ts";
import type { KernelArray } from "../runner/protocol.ts";
import type { CudaDevice, DeviceAddress } from "./driver.ts";

const zoneBytes = 4096;
const zoneByte = 0xff;

export interface DeviceMemory {
  /** Addresses of the parameters, in order. */
  readonly addresses: readonly DeviceAddress[];
  /** Copies the arrays to the device, and repairs the red zones. */
  upload(): void;
  /** Copies from the device to the arrays. Returns the name of a parameter around which was written, or null. */
  download(): string | null;
  free(): void;
}

type Device = Pick<CudaDevice, "alloc" | "free" | "fill" | "upload" | "download">;

export function deviceMemory(
  device: Device,
  parameters: readonly KernelParameter[],
  arrays: readonly KernelArray[],
): DeviceMemory {
  const places = arrays.map((array) => {
    const bytes = bytesOf(array);
    return { bytes, start: device.alloc(bytes.length + 2 * zoneBytes) };
  });
  const zone = new Uint8Array(zoneBytes);
  const isWritten = (at: DeviceAddress): boolean => {
    device.download(zone, at);
    return zone.some((byte) => byte !== zoneByte);
  };
  const inside = (start: DeviceAddress): DeviceAddress => start + BigInt(zoneBytes);
  const behind = (start: DeviceAddress, bytes: Uint8Array): DeviceAddress => inside(start) + BigInt(bytes.length);
  return {
    addresses: places.map(({ start }) => inside(start)),
    upload() {
      for (const { bytes, start } of places) {
        device.fill(start, zoneByte, zoneBytes);
        device.upload(inside(start), bytes);
        device.fill(behind(start, bytes), zoneByte, zoneBytes);
      }
    },
    download() {
      for (const { bytes, start } of places) device.download(bytes, inside(start));
      const touched = places.findIndex(({ bytes, start }) => isWritten(start) || isWritten(behind(start, bytes)));
      return parameters[touched]?.name ?? null;
    },
    free() {
      for (const { start } of places) device.free(start);
    },
  };
}
