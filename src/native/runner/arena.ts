// One block of page-aligned memory for the arguments of native kernels: 64-byte aligned arrays with a red zone behind
// and before each, so that a kernel that writes past its array is caught. A WebAssembly.Memory is the one kind of
// ArrayBuffer that JavaScript can have at an aligned address.

import type { KernelParameter } from "../../compiler/index.ts";
import { byteSize } from "../../compiler/index.ts";
import { arrayAt } from "../load/array-at.ts";
import type { KernelArray } from "./protocol.ts";

const alignment = 64;
const redZoneBytes = 256;
const redZoneByte = 0xcd;
const pageBytes = 65_536;

export interface Arena {
  /** Arrays of the parameters, in order. */
  readonly arrays: readonly KernelArray[];
  /** Returns the name of a parameter whose red zone was written, or null; repairs the zones. */
  overrun(): string | null;
}

const alignUp = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

export function createArena(parameters: readonly KernelParameter[]): Arena {
  const offsets: number[] = [];
  let end = redZoneBytes;
  for (const { dtype, length } of parameters) {
    offsets.push(end);
    end += alignUp(length * byteSize[dtype]) + redZoneBytes;
  }
  const pages = Math.ceil(end / pageBytes);
  const memory = new Uint8Array(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer);
  const arrays = parameters.map(({ dtype, length }, index) => arrayAt(dtype, memory.buffer, offsets[index]!, length));
  const zones = arrays.map((array) => zonesAround(array, memory));
  for (const zone of zones.flat()) zone.fill(redZoneByte);
  return { arrays, overrun: () => overrun(parameters, zones) };
}

/** Returns the bytes right before the array and right behind it (which begin inside the padding). */
function zonesAround(array: KernelArray, memory: Uint8Array): Uint8Array[] {
  const { byteOffset } = array;
  const end = byteOffset + array.byteLength;
  return [memory.subarray(byteOffset - alignment, byteOffset), memory.subarray(end, end + redZoneBytes - alignment)];
}

const whole = new Uint8Array(redZoneBytes).fill(redZoneByte);

function overrun(parameters: readonly KernelParameter[], zones: readonly (readonly Uint8Array[])[]): string | null {
  const touched = zones.findIndex((pair) => pair.some((zone) => Buffer.compare(zone, whole.subarray(0, zone.length))));
  if (touched < 0) return null;
  for (const zone of zones[touched]!) zone.fill(redZoneByte);
  return parameters[touched]!.name;
}

/** Returns the bytes of an array, not a copy. */
export const bytesOf = (array: KernelArray): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
