// WebAssembly in engines on 64-bit ARM, which has twice the registers of x86-64. V8 gives out 28 of the 32: v0 to v14, and v16 to v28.
// A product of f32 with 16 sums stays in them, and with 20 has a few stores more in its loop (test/arm/wasm-spills.test.ts, Node 20). Nobody
// has measured kernels of this target on such a machine yet.

import type { CpuTarget } from "./target.ts";
import { wasm } from "./wasm.ts";

export const wasmArm: CpuTarget = {
  ...wasm,
  name: "wasm-arm",
  features: ["neon", "simd128"],
  vectorRegisters: 28,
  // The fast cores of phones and laptops: Cortex-X1 and its successors; Apple's have more of both.
  l1Bytes: 64 * 1024,
  l2Bytes: 1024 * 1024,
};
