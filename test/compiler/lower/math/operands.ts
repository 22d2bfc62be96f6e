// Operands to try a function of one argument on: special values, bit patterns spread over all exponents, and numbers
// from the ranges where functions are neither 0 nor 1 nor infinite. Deterministic.

import type { FloatArray } from "./ulp.ts";

export const specials: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2,
  -2,
  3,
  -3,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
  2 ** -149,
  -(2 ** -149),
  2 ** -126,
  -(2 ** -126),
  2 ** 127,
  -(2 ** 127),
  88.72283,
  88.72284,
  -87.33655,
  -103.97208,
  -104,
  20,
  -20,
  9,
  -9,
];

/** Numerical Recipes' linear congruential generator; 0 ≤ number < 1. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

export function operands(dtype: "f32" | "f64", length: number, seed: number): FloatArray {
  const array = dtype === "f32" ? new Float32Array(length) : new Float64Array(length);
  const next = numbers(seed);
  const words = new Int32Array(array.buffer);
  for (let at = 0; at < words.length / 2; at++) words[at] = (next() * 2 ** 32) | 0;
  const ranges = [1, 2, 10, 110, 750];
  for (let at = length / 2; at < length; at++) array[at] = (next() * 2 - 1) * ranges[at % ranges.length]!;
  array.set(specials);
  return array;
}
