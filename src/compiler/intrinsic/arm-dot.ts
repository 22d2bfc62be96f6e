// Dot products of 64-bit ARM, 128 bits wide: sdot, udot and usdot of four bytes, bfdot of two bf16, and before them smull and sadalp of
// two bytes. In assembler, as compilers name their builtins differently; operands stay in vector registers.
//
// u8·i8 without usdot is made of sdot: a ^ 0x80, read as i8, is a − 128, and what that takes away, 128·Σb, is added again. It depends on B
// only, so it is computed once for all rows of a register tile.

import type { DType } from "../expr/dtype.ts";
import { dotProduct } from "./dot-product.ts";
import type { Intrinsic } from "./intrinsic.ts";

interface ArmDot {
  readonly name: string;
  readonly feature: string;
  readonly group: number;
  readonly a: DType;
  readonly b: DType;
  /** C expression of the sums after the products of A and B are added to C. */
  readonly text: string;
  /** Default: true, sums are i32. Else they are f32, rounded otherwise than the loops do. */
  readonly exact?: boolean;
}

const dots: readonly ArmDot[] = [
  { name: "usdot", feature: "i8mm", group: 4, a: "u8", b: "i8", text: added("usdot", "16b", "C", "A", "B") },
  { name: "sdot", feature: "dotprod", group: 4, a: "i8", b: "i8", text: added("sdot", "16b", "C", "A", "B") },
  { name: "udot", feature: "dotprod", group: 4, a: "u8", b: "u8", text: added("udot", "16b", "C", "A", "B") },
  { name: "sdot.unsigned", feature: "dotprod", group: 4, a: "u8", b: "i8", text: unsignedBySigned() },
  {
    name: "bfdot",
    feature: "bf16",
    group: 2,
    a: "bf16",
    b: "bf16",
    exact: false,
    text: added("bfdot", "8h", "C", "A", "B"),
  },
  { name: "sadalp", feature: "neon", group: 2, a: "i8", b: "i8", text: addedInPairs("smull", "sadalp") },
  { name: "uadalp", feature: "neon", group: 2, a: "u8", b: "u8", text: addedInPairs("umull", "uadalp") },
];

export const armDot: readonly Intrinsic[] = dots.map(({ name, feature, group, a, b, text, exact = true }) => ({
  name,
  features: [feature],
  meaning: dotProduct(name, { lanes: 4, group, a, b, sum: exact ? "i32" : "f32" }),
  exact,
  operands: "vectors",
  text: { c: { kind: "vectors", gcc: text, clang: text } },
}));

/** `sum` after an instruction with three operands that adds to its first. */
function added(instruction: string, lanes: "16b" | "8h", sum: string, a: string, b: string): string {
  const type = instruction === "bfdot" ? "uk_f32x4" : "uk_i32x4";
  const assembler = `__asm__("${instruction} %0.4s, %1.${lanes}, %2.${lanes}" : "+w"(sum) : "w"(${a}), "w"(${b}))`;
  return `({ ${type} sum = ${sum}; ${assembler}; sum; })`;
}

function unsignedBySigned(): string {
  const every = (byte: string): string => `((uk_i32x4){} + ${byte})`;
  // (int)0x80808080 and 0x01010101.
  const [flipped, ones] = [`((uk_i32x4)A ^ ${every("-2139062144")})`, every("16843009")];
  return `${added("sdot", "16b", "C", flipped, "B")} + (${added("sdot", "16b", "(uk_i32x4){}", ones, "B")} << 7)`;
}

/** Products of eight bytes as i16, which hold them, and sums of neighbours. */
function addedInPairs(multiply: string, add: string): string {
  const steps = `${multiply} %1.8h, %2.8b, %3.8b\\n\\t${add} %0.4s, %1.8h`;
  return `({ uk_i32x4 sum = C, products; __asm__("${steps}" : "+w"(sum), "=&w"(products) : "w"(A), "w"(B)); sum; })`;
}
