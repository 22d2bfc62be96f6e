// Root mean square normalisation of each row: x / √(mean(x²) + ε) · weight. Zhang & Sennrich 2019.

import { compute, type DType, defineOp, type Op, reduceAxis, rsqrt, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";

export interface NormParameters {
  readonly M: number;
  /** Length of a row. */
  readonly N: number;
  /** ε; default: 1e-5. */
  readonly epsilon?: number;
  /** Type of the elements, a float type; default: "f32". */
  readonly dtype?: DType;
}

export const normKinds: ParameterKinds<NormParameters> = { M: "size", N: "size", epsilon: "number?", dtype: "dtype?" };

/** @example export default rmsNorm({ M: 128, N: 4096 }); */
export function rmsNorm(parameters: NormParameters): Op {
  return defineOp(
    { epsilon: 1e-5, dtype: "f32", ...checked("rmsNorm", normKinds, parameters) },
    ({ M, N, epsilon, dtype }) => {
      const X = tensor("X", [M, N], dtype);
      const weight = tensor("weight", [N], dtype);
      const k = reduceAxis("k", N);
      return compute("Y", [M, N], (i, j) => {
        const scale = rsqrt(
          sum(X(i, k).mul(X(i, k)), k)
            .div(N)
            .add(epsilon),
        );
        return store(X(i, j).mul(scale).mul(weight(j)), dtype);
      });
    },
  );
}
