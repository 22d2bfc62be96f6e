// The mean of each row: y[i] = Σ X[i, k] / N.

import { compute, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";
import { type RowsParameters, rowsKinds } from "./sum.ts";

/**
 * The mean of each row, of a float type.
 *
 * @example export default mean({ M: 128, N: 1000 });
 */
export function mean(parameters: RowsParameters): Op {
  return defineOp({ dtype: "f32", ...checked("mean", rowsKinds, parameters) }, ({ M, N, dtype }) => {
    const X = tensor("X", [M, N], dtype);
    const k = reduceAxis("k", N);
    return compute("y", [M], (i) => store(sum(X(i, k), k).div(N), dtype));
  });
}
