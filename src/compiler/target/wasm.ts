// WebAssembly with SIMD128 under V8 on x86-64, which keeps one of the 16 XMM registers for itself. Caches are unknown at
// build time: small ones of today.

import type { CpuTarget } from "./target.ts";

export const wasm: CpuTarget = {
  kind: "cpu",
  name: "wasm",
  backend: "wasm",
  features: ["simd128"],
  vectorBytes: 16,
  vectorRegisters: 15,
  // Only the relaxed-SIMD twin fuses, and the schedule is the same for both.
  hasFma: false,
  hasMaskedStore: false,
  l1Bytes: 32 * 1024,
  l2Bytes: 512 * 1024,
  l3Bytes: 1024 * 1024,
  threads: 1,
};
