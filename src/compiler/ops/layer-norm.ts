// Layer normalisation of each row: (x - mean) / √(variance + ε) · weight + bias. Ba, Kiros & Hinton 2016.

import { compute, defineOp, type Op, reduceAxis, rsqrt, sum, tensor } from "../expr/authoring.ts";
import { checked } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";
import { type NormParameters, normKinds } from "./rms-norm.ts";

/** @example export default layerNorm({ M: 128, N: 768 }); */
export function layerNorm(parameters: NormParameters): Op {
  return defineOp(
    { epsilon: 1e-5, dtype: "f32", ...checked("layerNorm", normKinds, parameters) },
    ({ M, N, epsilon, dtype }) => {
      const X = tensor("X", [M, N], dtype);
      const weight = tensor("weight", [N], dtype);
      const bias = tensor("bias", [N], dtype);
      const k = reduceAxis("k", N);
      return compute("Y", [M, N], (i, j) => {
        const mean = sum(X(i, k), k).div(N);
        const difference = X(i, k).sub(mean);
        const scale = rsqrt(sum(difference.mul(difference), k).div(N).add(epsilon));
        return store(X(i, j).sub(mean).mul(scale).mul(weight(j)).add(bias(j)), dtype);
      });
    },
  );
}
