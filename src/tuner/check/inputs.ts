// Test inputs from a seed: integers small enough that sums stay exact, or fractions where nothing is exact anyway.
// Never zero: a zero hides a wrong partner.

import { arrayOf, type DType, isFloat, type TensorDecl, type TypedArray } from "../../compiler/index.ts";

/** Returns a random number, uniform in [0, 1). */
export type Uniform = () => number;

export type InputValues =
  /** ±1 … ±limit; unsigned types 1 … limit; bool 0 or 1. */
  | { readonly kind: "integers"; readonly limit: number }
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
  if (dtype === "u8") return () => 1 + Math.floor(uniform() * limit);
  return () => {
    const step = Math.floor(uniform() * 2 * limit) - limit;
    return step < 0 ? step : step + 1;
  };
}
