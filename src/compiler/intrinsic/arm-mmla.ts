// Products of matrices of 64-bit ARM, 128 bits wide: 2×8 bytes by 8×2 bytes, or 2×4 by 4×2 of bf16, added to 2×2 sums. They do twice the
// work of the dot products. In assembler, as those are; the sums stay in one vector register, row after row.
//
// bfmmla adds products in pairs, rounded otherwise than the loops do.

import type { DType } from "../expr/dtype.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { matrixDot } from "./matrix-dot.ts";

interface ArmProduct {
  readonly name: string;
  readonly feature: string;
  readonly a: DType;
  readonly b: DType;
}

const products: readonly ArmProduct[] = [
  { name: "usmmla", feature: "i8mm", a: "u8", b: "i8" },
  { name: "smmla", feature: "i8mm", a: "i8", b: "i8" },
  { name: "ummla", feature: "i8mm", a: "u8", b: "u8" },
  { name: "bfmmla", feature: "bf16", a: "bf16", b: "bf16" },
];

export const armMmla: readonly Intrinsic[] = products.map(({ name, feature, a, b }) => {
  const isBytes = a !== "bf16";
  const [group, lanes, sum] = isBytes ? ([8, "16b", "i32"] as const) : ([4, "8h", "f32"] as const);
  const assembler = `__asm__("${name} %0.4s, %1.${lanes}, %2.${lanes}" : "+w"(sum) : "w"(A), "w"(B))`;
  const text = `({ uk_${sum}x4 sum = C; ${assembler}; sum; })`;
  return {
    name,
    features: [feature],
    meaning: matrixDot(name, { side: 2, group, a, b, sum }),
    exact: isBytes,
    operands: "vectors",
    text: { c: { kind: "vectors", gcc: text, clang: text } },
  };
});
