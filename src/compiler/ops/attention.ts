// Attention of each head: O = softmax(Q · Kᵀ / √D) · V. Vaswani et al. 2017. Rows are divided by their sum after the second
// product: D divisions a row instead of N (Dao et al. 2022).

import { compute, type DType, defineOp, exp, max, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";

export interface AttentionParameters {
  /** Number of heads of all sequences together; default: 1. */
  readonly heads?: number;
  /** Number of queries. */
  readonly M: number;
  /** Number of keys, and of values. */
  readonly N: number;
  /** Length of a query, a key and a value. */
  readonly D: number;
  /** Type of the elements, a float type; default: "f32". */
  readonly dtype?: DType;
}

const kinds: ParameterKinds<AttentionParameters> = { heads: "size?", M: "size", N: "size", D: "size", dtype: "dtype?" };

/** @example export default attention({ heads: 12, M: 128, N: 128, D: 64 }); */
export function attention(parameters: AttentionParameters): Op {
  return defineOp(
    { heads: 1, dtype: "f32", ...checked("attention", kinds, parameters) },
    ({ heads, M, N, D, dtype }) => {
      const Q = tensor("Q", [heads, M, D], dtype);
      const K = tensor("K", [heads, N, D], dtype);
      const V = tensor("V", [heads, N, D], dtype);
      const d = reduceAxis("d", D);
      const k = reduceAxis("k", N);
      const scores = compute("scores", [heads, M, N], (h, i, j) =>
        sum(Q(h, i, d).mul(K(h, j, d)), d).mul(1 / Math.sqrt(D)),
      );
      const weights = compute("weights", [heads, M, N], (h, i, j) => exp(scores(h, i, j).sub(max(scores(h, i, k), k))));
      return compute("O", [heads, M, D], (h, i, e) =>
        store(sum(weights(h, i, k).mul(V(h, k, e)), k).div(sum(weights(h, i, k), k)), dtype),
      );
    },
  );
}
