// A batch norm as an epilogue of the convolution before it: scale[c] = γ / √(variance + ε), bias[c] = β - mean · scale.
// An operator with the epilogue { scale: true, bias: true } then computes both in one. Ioffe & Szegedy 2015.

import { compute, type DType, defineOp, type Op, rsqrt, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";

export interface FoldBatchNormParameters {
  /** Channels. */
  readonly C: number;
  /** ε; default: 1e-5. */
  readonly epsilon?: number;
  /** Type of the elements, a float type; default: "f32". */
  readonly dtype?: DType;
}

const kinds: ParameterKinds<FoldBatchNormParameters> = { C: "size", epsilon: "number?", dtype: "dtype?" };

/** @example export default foldBatchNorm({ C: 64 }); // (gamma, beta, mean, variance) → { scale, bias } */
export function foldBatchNorm(parameters: FoldBatchNormParameters): Op {
  return defineOp(
    { epsilon: 1e-5, dtype: "f32", ...checked("foldBatchNorm", kinds, parameters) },
    ({ C, epsilon, dtype }) => {
      const gamma = tensor("gamma", [C], dtype);
      const beta = tensor("beta", [C], dtype);
      const mean = tensor("mean", [C], dtype);
      const variance = tensor("variance", [C], dtype);
      const exact = compute("exact", [C], (c) => gamma(c).mul(rsqrt(variance(c).add(epsilon))));
      const scale = compute("scale", [C], (c) => store(exact(c), dtype));
      const bias = compute("bias", [C], (c) => store(beta(c).sub(mean(c).mul(exact(c))), dtype));
      return { scale, bias };
    },
  );
}
