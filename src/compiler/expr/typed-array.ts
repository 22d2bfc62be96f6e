// Elements in typed arrays: dtype → kind of array, and element ↔ value. f16 and bf16 are bit patterns in a Uint16Array.

import type { DType } from "./dtype.ts";
import { fromBf16Bits, fromF16Bits, toBf16Bits, toF16Bits } from "./float16.ts";
import type { ArrayOf, ArrayTypes, TypedArray } from "./kernel-type.ts";

export const arrayTypes: { readonly [D in DType]: new (length: number) => ArrayTypes[D] } = {
  f64: Float64Array,
  f32: Float32Array,
  f16: Uint16Array,
  bf16: Uint16Array,
  i32: Int32Array,
  i16: Int16Array,
  i8: Int8Array,
  u8: Uint8Array,
  bool: Uint8Array,
};

/** A zeroed array for `length` elements. */
export const newArray = <D extends DType>(dtype: D, length: number): ArrayOf<D> => new arrayTypes[dtype](length);

/** The value that a stored element stands for. Any byte but 0 is true. */
export function decode(dtype: DType, stored: number): number {
  if (dtype === "f16") return fromF16Bits(stored);
  if (dtype === "bf16") return fromBf16Bits(stored);
  return dtype === "bool" ? Number(stored !== 0) : stored;
}

/** The element that stands for a value of `dtype`. */
export function encode(dtype: DType, value: number): number {
  if (dtype === "f16") return toF16Bits(value);
  return dtype === "bf16" ? toBf16Bits(value) : value;
}

/** Values → an array of `dtype`, each rounded or wrapped as the array does. */
export function arrayOf<D extends DType>(dtype: D, values: ArrayLike<number>): ArrayOf<D> {
  const array: TypedArray = newArray(dtype, values.length);
  for (let at = 0; at < values.length; at++) array[at] = encode(dtype, values[at]!);
  return array as ArrayOf<D>;
}

/** The values that an array of `dtype` stands for. */
export const valuesOf = (dtype: DType, array: TypedArray): readonly number[] =>
  Array.from(array, (stored) => decode(dtype, stored));
