// The variance of each row, of the whole population: y[i] = Σ (X[i, k] - mean)² / N, in two passes over the row, so that
// nothing cancels where the mean is large. Chan, Golub & LeVeque 1983.

import { compute, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";
import { type RowsParameters, rowsKinds } from "./sum.ts";

/**
 * The variance of each row, of a float type.
 *
 * @example export default variance({ M: 128, N: 1000 });
 */
export function variance(parameters: RowsParameters): Op {
  return defineOp({ dtype: "f32", ...checked("variance", rowsKinds, parameters) }, ({ M, N, dtype }) => {
    const X = tensor("X", [M, N], dtype);
    const k = reduceAxis("k", N);
    return compute("y", [M], (i) => {
      const difference = X(i, k).sub(sum(X(i, k), k).div(N));
      return store(sum(difference.mul(difference), k).div(N), dtype);
    });
  });
}
