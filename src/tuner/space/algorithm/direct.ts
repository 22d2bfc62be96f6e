// The operator as it is written. For a convolution this is the direct algorithm. Its tilings are called implicit GEMM
// elsewhere; with a 1×1 window they are a GEMM.

import { asWritten } from "../../data/computation.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";

export const direct: AlgorithmRule = {
  name: null,
  applies: () => true,
  rewrite: asWritten,
};
