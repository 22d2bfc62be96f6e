// Products of tiles by the tensor cores of NVIDIA's GPUs, one for all lanes of a warp. Two instructions compute it, mma.sync.m16n8k16 on halves
// and mma.sync.m16n8k32 on bytes.
//
// Products of halves are exact, and sums are rounded towards zero somewhere, so they are for numerics "fast". Those of bytes are exact.
// Layouts: PTX ISA 8.4, "Matrix Fragments for mma.m16n8k16" and "… mma.m16n8k32".

import type { Intrinsic } from "./intrinsic.ts";
import { tensorOperands } from "./tensor-operands.ts";
import { warpProductMeaning, warpProductName, warpProductText } from "./warp-product.ts";

export const cudaMma: readonly Intrinsic[] = tensorOperands.map((it) => {
  const name = warpProductName("mma", it);
  return {
    name,
    features: ["sm_80"],
    meaning: warpProductMeaning(name, it),
    exact: it.sum === "i32",
    operands: "tiles",
    text: { cuda: warpProductText(it) },
  };
});
