// WebAssembly SIMD128: products of pairs of i16, summed in i32. Exact: −2¹⁵·−2¹⁵·2 wraps to −2³¹ as i32 sums do.
//
// `i32x4.relaxed_dot_i8x16_i7x16_add_s` is not here: where an element of its second operand is not in 0 … 127 engines
// may differ, and no type of this compiler says that it is.

import { dotProduct } from "./dot-product.ts";
import type { Intrinsic } from "./intrinsic.ts";

export const wasmSimd: readonly Intrinsic[] = [
  {
    name: "i32x4.dot_i16x8_s",
    features: ["simd128"],
    meaning: dotProduct("i32x4.dot_i16x8_s", { lanes: 4, group: 2, a: "i16", b: "i16", sum: "i32" }),
    exact: true,
    operands: "vectors",
    text: { wasm: { ops: ["i32x4.dot_i16x8_s", "i32x4.add"] } },
  },
];
