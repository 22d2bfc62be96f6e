// Matrix times vector: y[M] = activation(A[M, K] · x[K] + bias[M]).

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Epilogue, finish, store } from "./epilogue.ts";

export interface GemvParameters {
  readonly M: number;
  readonly K: number;
  /** Type of A and x; y has the same, i32 for integers. "f32" unless said. */
  readonly dtype?: DType;
}

/** @example export default gemv({ M: 4096, K: 4096 }); */
export function gemv(parameters: GemvParameters, epilogue: Epilogue = {}): Op {
  return defineOp({ dtype: "f32", ...parameters }, ({ M, K, dtype }) => {
    const A = tensor("A", [M, K], dtype);
    const x = tensor("x", [K], dtype);
    const bias = epilogue.bias ? tensor("bias", [M], sumType(dtype)) : null;
    const k = reduceAxis("k", K);
    return compute("y", [M], (i) => {
      const product = sum(factor(A(i, k)).mul(factor(x(k))), k);
      return store(finish(product, epilogue, bias?.(i)), sumType(dtype));
    });
  });
}
