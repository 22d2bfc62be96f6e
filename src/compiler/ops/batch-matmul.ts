// A matrix product for each element of a batch: C[b] = epilogue(A[b] · B[b]).

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";

export interface BatchMatmulParameters {
  readonly batch: number;
  readonly M: number;
  readonly N: number;
  readonly K: number;
  /** Type of A and B; default: "f32". C has the same type, or i32 for integers. */
  readonly dtype?: DType;
  /** Type of B where it is another: `dtype: "u8", dtypeB: "i8"`. */
  readonly dtypeB?: DType;
}

const kinds: ParameterKinds<BatchMatmulParameters> = {
  batch: "size",
  M: "size",
  N: "size",
  K: "size",
  dtype: "dtype?",
  dtypeB: "dtype?",
};

/** @example export default batchMatmul({ batch: 12, M: 128, N: 128, K: 64 }); */
export function batchMatmul(parameters: BatchMatmulParameters, epilogue: Epilogue = {}): Op {
  return defineOp(
    { dtype: "f32", ...checked("batchMatmul", kinds, parameters) },
    ({ batch, M, N, K, dtype, dtypeB = dtype }) => {
      const A = tensor("A", [batch, M, K], dtype);
      const B = tensor("B", [batch, K, N], dtypeB);
      const finish = epilogueOf(epilogue, { shape: [batch, M, N], dtype: sumType(dtype) });
      const k = reduceAxis("k", K);
      return compute("C", [batch, M, N], (b, i, j) =>
        finish(sum(factor(A(b, i, k)).mul(factor(B(b, k, j))), k), [b, i, j]),
      );
    },
  );
}
