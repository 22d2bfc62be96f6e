// Matrix product: C[M, N] = epilogue(A[M, K] · B[K, N]).

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";

export interface GemmParameters {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  /** Type of A and B; default: "f32". C has the same type, or i32 for integers. */
  readonly dtype?: DType;
  /** Type of B where it is another: `dtype: "u8", dtypeB: "i8"`. */
  readonly dtypeB?: DType;
}

const kinds: ParameterKinds<GemmParameters> = { M: "size", N: "size", K: "size", dtype: "dtype?", dtypeB: "dtype?" };

/** @example export default gemm({ M: 1024, N: 1024, K: 1024, dtype: "f32" }, { bias: true, activation: "relu" }); */
export function gemm(parameters: GemmParameters, epilogue: Epilogue = {}): Op {
  return defineOp({ dtype: "f32", ...checked("gemm", kinds, parameters) }, ({ M, N, K, dtype, dtypeB = dtype }) => {
    const A = tensor("A", [M, K], dtype);
    const B = tensor("B", [K, N], dtypeB);
    const finish = epilogueOf(epilogue, { shape: [M, N], dtype: sumType(dtype) });
    const k = reduceAxis("k", K);
    return compute("C", [M, N], (i, j) => finish(sum(factor(A(i, k)).mul(factor(B(k, j))), k), [i, j]));
  });
}
