// Products of integers are summed in i32, of floats in the type that they are computed with.

import type { DType, Expr } from "../expr/authoring.ts";

const isNarrowInteger = (dtype: DType): boolean => dtype === "i16" || dtype === "i8" || dtype === "u8";

/** An element as a factor of a product that is summed. */
export const factor = (x: Expr): Expr => (isNarrowInteger(x.dtype) ? x.cast("i32") : x);

/** The type of a sum of products of elements of `dtype`, as it is stored: i32 for integers, else `dtype`. */
export const sumType = (dtype: DType): DType => (isNarrowInteger(dtype) ? "i32" : dtype);
