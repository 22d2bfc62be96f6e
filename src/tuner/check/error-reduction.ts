// Reductions of values that are known up to an error, in any order.

import { applyBinary, type DType, isFloat, type Reducer } from "../../compiler/index.ts";
import { type Bounded, rounded } from "./error-rules.ts";

export interface Fold {
  add(value: number, error: number): void;
  result(): Bounded;
}

/** @param length number of terms that are added */
export function foldInto(reducer: Reducer, dtype: DType, length: number): Fold {
  switch (reducer) {
    case "sum":
      return sumOf(dtype, length);
    case "prod":
      return productOf(dtype);
    case "max":
      return extremeOf(1);
    case "min":
      return extremeOf(-1);
  }
}

/**
 * Returns the roundings of n terms. They have random signs: their sum is hardly ever beyond four times √n of them, which for few
 * terms is all. Partial sums are as large as the sum of sizes at most.
 */
const roundingsOf = (length: number): number => Math.min(length, 4 * Math.sqrt(length)) / 2;

function sumOf(dtype: DType, length: number): Fold {
  let [sum, sizes, errors] = [0, 0, 0];
  const add = (a: number, b: number): number => (isFloat(dtype) ? a + b : applyBinary("add", dtype, a, b));
  return {
    add(value, error) {
      sum = add(sum, value);
      sizes += Math.abs(value);
      errors += error;
    },
    result() {
      if (!isFloat(dtype)) return [sum, errors];
      const [, rounding] = rounded(dtype, sizes, 0, roundingsOf(length));
      return [sum, errors + rounding];
    },
  };
}

function productOf(dtype: DType): Fold {
  let now: Bounded = [1, 0];
  return {
    add(value, error) {
      const [before, off] = now;
      const total = Math.abs(before) * error + Math.abs(value) * off + off * error;
      now = rounded(dtype, isFloat(dtype) ? before * value : applyBinary("mul", dtype, before, value), total);
    },
    result: () => now,
  };
}

/** Makes a fold to the largest, or with −1 to the least, of intervals. */
function extremeOf(sign: 1 | -1): Fold {
  let [value, low, high] = [-infinite, -infinite, -infinite];
  return {
    add(one, error) {
      value = Math.max(value, sign * one);
      low = Math.max(low, sign * one - error);
      high = Math.max(high, sign * one + error);
    },
    result: () => [sign * value, value === low && value === high ? 0 : Math.max(value - low, high - value)],
  };
}

const infinite = Number.POSITIVE_INFINITY;
