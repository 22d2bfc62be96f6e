// WebAssembly in engines on x86-64: the numbers of `wasm`, whose register tiles are made for them, and measured on such machines alone.
// Engines there need SSE4.1 for SIMD.

import type { CpuTarget } from "./target.ts";
import { wasm } from "./wasm.ts";

export const wasmX86: CpuTarget = { ...wasm, name: "wasm-x86", features: ["simd128", "sse4.1"] };
