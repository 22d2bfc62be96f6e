// Matrix times vector: y[M] = epilogue(A[M, K] · x[K]).

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";

export interface GemvParameters {
  readonly M: number;
  readonly K: number;
  /** Type of A and x; default: "f32". y has the same type, or i32 for integers. */
  readonly dtype?: DType;
  /** Type of x where it is another: `dtype: "u8", dtypeX: "i8"`. */
  readonly dtypeX?: DType;
}

const kinds: ParameterKinds<GemvParameters> = { M: "size", K: "size", dtype: "dtype?", dtypeX: "dtype?" };

/** @example export default gemv({ M: 4096, K: 4096 }); */
export function gemv(parameters: GemvParameters, epilogue: Epilogue = {}): Op {
  return defineOp({ dtype: "f32", ...checked("gemv", kinds, parameters) }, ({ M, K, dtype, dtypeX = dtype }) => {
    const A = tensor("A", [M, K], dtype);
    const x = tensor("x", [K], dtypeX);
    const finish = epilogueOf(epilogue, { shape: [M], dtype: sumType(dtype) });
    const k = reduceAxis("k", K);
    return compute("y", [M], (i) => finish(sum(factor(A(i, k)).mul(factor(x(k))), k), [i]));
  });
}
