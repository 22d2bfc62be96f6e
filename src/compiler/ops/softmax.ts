// Softmax of each row: exp(x - max) / Σ exp(x - max).

import { compute, type DType, defineOp, exp, max, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";

export interface SoftmaxParameters {
  readonly M: number;
  /** Length of a row. */
  readonly N: number;
  /** Type of the elements, a float type; default: "f32". */
  readonly dtype?: DType;
}

const kinds: ParameterKinds<SoftmaxParameters> = { M: "size", N: "size", dtype: "dtype?" };

/** @example export default softmax({ M: 128, N: 1000 }); */
export function softmax(parameters: SoftmaxParameters): Op {
  return defineOp({ dtype: "f32", ...checked("softmax", kinds, parameters) }, ({ M, N, dtype }) => {
    const X = tensor("X", [M, N], dtype);
    const k = reduceAxis("k", N);
    return compute("Y", [M, N], (i, j) => {
      const largest = max(X(i, k), k);
      return store(exp(X(i, j).sub(largest)).div(sum(exp(X(i, k).sub(largest)), k)), dtype);
    });
  });
}
