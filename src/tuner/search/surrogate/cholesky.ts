// The factor L of a symmetric positive definite matrix L·Lᵀ, and L⁻¹ of a vector. Row-major, size × size; only the
// lower triangle is read.

import { invariant } from "../../../compiler/index.ts";

export function choleskyFactor(matrix: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let left = matrix[i * size + j]!;
      for (let k = 0; k < j; k++) left -= factor[i * size + k]! * factor[j * size + k]!;
      invariant(i !== j || left > 0, "the matrix is positive definite");
      factor[i * size + j] = i === j ? Math.sqrt(left) : left / factor[j * size + j]!;
    }
  }
  return factor;
}

/** Solves L·x = values for x. */
export function solveLower(factor: Float64Array, size: number, values: ArrayLike<number>): Float64Array {
  const x = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    let left = values[i]!;
    for (let k = 0; k < i; k++) left -= factor[i * size + k]! * x[k]!;
    x[i] = left / factor[i * size + i]!;
  }
  return x;
}
