// Test inputs from a seed: integers small enough that sums stay exact, or fractions where nothing is exact anyway.
// Never zero: a zero hides a wrong partner.

import { arrayOf, type DType, integerRange, isFloat, type TensorDecl, type TypedArray } from "../../compiler/index.ts";

/** Returns a random number, uniform in [0, 1). */
export type Uniform = () => number;

export type InputValues =
  /**
   * ±1 … ±limit; unsigned types 1 … limit; bool 0 or 1. With `shorts`, half of the elements of i8, u8 and i16 have any value of their type
   * instead, those at its ends more often than others: what overflows, saturates or takes a sign for a bit is wrong there alone.
   */
  | { readonly kind: "integers"; readonly limit: number; readonly shorts?: "all" }
  /** Uniform in [from, to); integer types get ±1 … ±8. */
  | { readonly kind: "reals"; readonly from: number; readonly to: number };

/** Makes an array for each tensor, in order; the same seed gives the same arrays. */
export const testInputs = (tensors: readonly TensorDecl[], values: InputValues, uniform: Uniform): TypedArray[] =>
  tensors.map(({ dtype, shape }) => {
    const length = shape.reduce((product, extent) => product * extent, 1);
    return arrayOf(dtype, Float64Array.from({ length }, drawer(dtype, values, uniform)));
  });

const integerLimit = 8;

function drawer(dtype: DType, values: InputValues, uniform: Uniform): () => number {
  if (values.kind === "reals" && isFloat(dtype)) return () => values.from + (values.to - values.from) * uniform();
  const limit = values.kind === "integers" ? values.limit : integerLimit;
  if (dtype === "bool") return () => (uniform() < 0.5 ? 0 : 1);
  const small = smallDrawer(dtype, limit, uniform);
  if (values.kind !== "integers" || !values.shorts || !isShortInteger(dtype)) return small;
  const [least, most] = integerRange[dtype];
  return () => {
    if (uniform() < 0.5) return small();
    const place = Math.floor(uniform() * 2 * (most - least + 1)) - (most - least + 1) / 2;
    return Math.min(most, Math.max(least, least + place)) || 1;
  };
}

type ShortInteger = "u8" | "i8" | "i16";
export const isShortInteger = (dtype: DType): dtype is ShortInteger =>
  dtype === "u8" || dtype === "i8" || dtype === "i16";

function smallDrawer(dtype: DType, limit: number, uniform: Uniform): () => number {
  if (dtype === "u8") return () => 1 + Math.floor(uniform() * limit);
  return () => {
    const step = Math.floor(uniform() * 2 * limit) - limit;
    return step < 0 ? step : step + 1;
  };
}
