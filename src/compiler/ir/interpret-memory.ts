// The buffers of one run of the interpreter: contents, and for each element whether it has a value. An element that
// nothing was written to reads as `null`, which spreads through arithmetic and may not reach an output.

import type { TypedArray } from "../expr/kernel-type.ts";
import { decode, encode, newArray } from "../expr/typed-array.ts";
import { product } from "../support/integer-math.ts";
import { invariant } from "../support/invariant.ts";
import type { Buffer } from "./loop-ir.ts";
import type { Scalar } from "./scalar-ops.ts";

/** Value of one lane. Null: not a value, for it was made of an element that was never written. */
export type Lane = Scalar | null;

export interface Memory {
  readonly buffer: Buffer;
  readonly data: TypedArray;
  /** Flags of the elements, 1 where one has a value. */
  readonly written: Uint8Array;
}

/** `input` is not copied; it is never written. */
export function createMemory(buffer: Buffer, input: TypedArray | null): Memory {
  const length = product(buffer.shape);
  const data = input ?? newArray(buffer.dtype, length);
  invariant(data.length === length, `${buffer.name} has ${data.length} elements, its shape ${buffer.shape.join("×")}`);
  return { buffer, data, written: new Uint8Array(length).fill(input ? 1 : 0) };
}

export const read = ({ buffer, data, written }: Memory, offset: number): Lane =>
  written[offset] === 1 ? decode(buffer.dtype, data[offset]!) : null;

export function write({ buffer, data, written }: Memory, offset: number, value: Lane): void {
  invariant(
    value !== null || buffer.role !== "output",
    `${buffer.name}: element ${offset} is given a value made of an element that was never written`,
  );
  written[offset] = value === null ? 0 : 1;
  data[offset] = value === null ? 0 : encode(buffer.dtype, value as number);
}

/** Row-major offset of an element; refuses an index outside its dimension. */
export function offsetOf({ buffer }: Memory, indices: readonly Lane[]): number {
  let offset = 0;
  for (let dim = 0; dim < indices.length; dim++) {
    const index = indices[dim] as number;
    const extent = buffer.shape[dim]!;
    if (!(index !== null && index >= 0 && index < extent)) refuse(buffer, indices);
    offset = offset * extent + index;
  }
  return offset;
}

/** Offset of the element at these indices, which are computed one by one: the array that `offsetOf` wants would be made for every access. */
export function offsetBy(memory: Memory, indices: readonly (() => Lane)[]): number {
  const { shape } = memory.buffer;
  let offset = 0;
  for (let dim = 0; dim < indices.length; dim++) {
    const index = indices[dim]!() as number;
    const extent = shape[dim]!;
    if (!(index !== null && index >= 0 && index < extent))
      return offsetOf(
        memory,
        indices.map((each) => each()),
      );
    offset = offset * extent + index;
  }
  return offset;
}

function refuse({ name, shape }: Buffer, indices: readonly Lane[]): never {
  const at = indices.map((index) => (index === null ? "?" : String(index))).join(", ");
  invariant(false, `${name} is accessed at [${at}], its shape is ${shape.join("×")}`);
}
