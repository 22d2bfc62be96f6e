// 64-bit ARM with the dot products of bytes (ARMv8.2-A DotProd): Cortex-A76 and Neoverse N1 on, Apple from M1.

import { neon } from "./neon.ts";
import type { CpuTarget } from "./target.ts";

export const neonDot: CpuTarget = {
  ...neon,
  name: "neon-dot",
  features: [...neon.features, "dotprod"].sort(),
};
