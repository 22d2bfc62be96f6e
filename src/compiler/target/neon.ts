// 64-bit ARM with NEON and the arithmetic of 16-bit floats (ARMv8.2-A with FP16): Cortex-A75 and Neoverse N1 on, Apple from M1.

import type { CpuTarget } from "./target.ts";

export const neon: CpuTarget = {
  kind: "cpu",
  name: "neon",
  backend: "c",
  features: ["fp16", "neon"],
  vectorBytes: 16,
  vectorRegisters: 32,
  hasFma: true,
  hasMaskedStore: false,
  // Neoverse N1; detection puts in what the machine has.
  l1Bytes: 64 * 1024,
  l2Bytes: 1024 * 1024,
  l3Bytes: 1024 * 1024,
  threads: 1,
};
