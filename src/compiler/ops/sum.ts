// The sum of each row: y[i] = Σ X[i, k].

import { compute, type DType, defineOp, type Op, reduceAxis, sum as sumOver, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { store } from "./epilogue.ts";

export interface RowsParameters {
  /** Number of rows; 1 for the sum of a whole tensor. */
  readonly M: number;
  /** Length of a row. */
  readonly N: number;
  /** Type of the elements; default: "f32". Sums of integers are i32. */
  readonly dtype?: DType;
}

export const rowsKinds: ParameterKinds<RowsParameters> = { M: "size", N: "size", dtype: "dtype?" };

/** @example export default sum({ M: 128, N: 1000 }); */
export function sum(parameters: RowsParameters): Op {
  return defineOp({ dtype: "f32", ...checked("sum", rowsKinds, parameters) }, ({ M, N, dtype }) => {
    const X = tensor("X", [M, N], dtype);
    const k = reduceAxis("k", N);
    return compute("y", [M], (i) => store(sumOver(factor(X(i, k)), k), sumType(dtype)));
  });
}
