// 64-bit ARM with products of small matrices of bytes (I8MM), and those of bf16: Neoverse V1 (Graviton 3) and N2 on, Apple from M2.

import { neonDot } from "./neon-dot.ts";
import type { CpuTarget } from "./target.ts";

export const neonI8mm: CpuTarget = {
  ...neonDot,
  name: "neon-i8mm",
  features: [...neonDot.features, "bf16", "i8mm"].sort(),
};
