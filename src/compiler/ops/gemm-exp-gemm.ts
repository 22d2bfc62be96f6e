// Two matrix products with an exponential between them: F[M, L] = exp(A[M, K] · B[K, N]) · E[N, L].

import { compute, type DType, defineOp, exp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";

export interface GemmExpGemmParameters {
  readonly M: number;
  /** Columns of the first product, rows of E. */
  readonly N: number;
  readonly K: number;
  /** Columns of the result. */
  readonly L: number;
  /** Type of the elements, a float type; default: "f32". */
  readonly dtype?: DType;
}

const kinds: ParameterKinds<GemmExpGemmParameters> = { M: "size", N: "size", K: "size", L: "size", dtype: "dtype?" };

/** @example export default gemmExpGemm({ M: 128, N: 128, K: 64, L: 64 }); */
export function gemmExpGemm(parameters: GemmExpGemmParameters): Op {
  return defineOp({ dtype: "f32", ...checked("gemmExpGemm", kinds, parameters) }, ({ M, N, K, L, dtype }) => {
    const A = tensor("A", [M, K], dtype);
    const B = tensor("B", [K, N], dtype);
    const E = tensor("E", [N, L], dtype);
    const k = reduceAxis("k", K);
    const n = reduceAxis("n", N);
    const D = compute("D", [M, N], (i, j) => exp(sum(A(i, k).mul(B(k, j)), k)));
    return compute("F", [M, L], (i, l) => store(sum(D(i, n).mul(E(n, l)), n), dtype));
  });
}
