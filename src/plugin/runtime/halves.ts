// Half-precision arrays. A kernel reads and writes their bits as Uint16Array; where the engine has Float16Array, callers get and give that,
// on the same memory.

import type { TypedArray } from "../../compiler/index.ts";
import type { RuntimeTensor } from "./implementation.ts";

type View = new (buffer: ArrayBufferLike, start: number, length: number) => TypedArray;

/** Undefined: the engine has none. */
const float16 = (): View | undefined => (globalThis as { Float16Array?: View }).Float16Array;

export const seenAs = (type: View, { buffer, byteOffset, length }: TypedArray): TypedArray =>
  new type(buffer, byteOffset, length);

/** An array of the kernel, as callers see it. */
export function asGiven(array: TypedArray, { dtype }: Pick<RuntimeTensor, "dtype">): TypedArray {
  const half = dtype === "f16" ? float16() : undefined;
  return half ? seenAs(half, array) : array;
}

/** "a Float16Array or Uint16Array", where the engine has both. */
export const arrayNames = ({ dtype, array }: RuntimeTensor): string =>
  dtype === "f16" && float16() ? `Float16Array or ${array.name}` : array.name;
