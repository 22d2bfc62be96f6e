// The operator as it is written. Of a convolution this is the direct algorithm; its tilings are what is elsewhere called
// implicit GEMM, and of a 1×1 window a GEMM.

import { asWritten } from "../../measure/computation.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";

export const direct: AlgorithmRule = {
  name: null,
  applies: () => true,
  rewrite: asWritten,
};
