// Products of tiles by subgroup matrices, which WGSL has as an experiment: `chromium_experimental_subgroup_matrix`. A warp is one subgroup of
// 32 lanes, or several smaller ones that share its tile. The machine multiplies matrices of sizes of its own, of which a tile is made.
//
// Only an adapter that says so has them, with the types of operands that it names; no target of visitors does. How a machine rounds its sums
// is its own, so products of halves are for numerics "fast".

import { matrixFeature } from "../target/subgroup-matrices.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { tensorOperands } from "./tensor-operands.ts";
import { warpProductMeaning, warpProductName, warpProductText } from "./warp-product.ts";

export const wgslMatrix: readonly Intrinsic[] = tensorOperands.map((it) => {
  const name = warpProductName("subgroup-matrix", it);
  return {
    name,
    features: [matrixFeature(it.operands)],
    meaning: warpProductMeaning(name, it),
    exact: it.sum === "i32",
    operands: "tiles",
    text: { wgsl: warpProductText(it) },
  };
});
