// The element types of tensors and the facts about them that every stage shares.

/** The types a user may name. `bool` is stored as one byte, 0 or 1. */
export const dtypes = ["f64", "f32", "f16", "bf16", "i32", "i16", "i8", "u8", "bool"] as const;
export type DType = (typeof dtypes)[number];

/** Bytes of one stored element. */
export const byteSize: Readonly<Record<DType, number>> = {
  f64: 8,
  f32: 4,
  f16: 2,
  bf16: 2,
  i32: 4,
  i16: 2,
  i8: 1,
  u8: 1,
  bool: 1,
};

/** Types that hold a fraction. f16 and bf16 are storage types: arithmetic on them happens in f32. */
export const isFloat = (dtype: DType): boolean =>
  dtype === "f64" || dtype === "f32" || dtype === "f16" || dtype === "bf16";

export const isInteger = (dtype: DType): boolean =>
  dtype === "i32" || dtype === "i16" || dtype === "i8" || dtype === "u8";

/** The type in which values of `dtype` are computed with: f16 and bf16 widen to f32, all else is itself. */
export const computeType = (dtype: DType): DType => (dtype === "f16" || dtype === "bf16" ? "f32" : dtype);
