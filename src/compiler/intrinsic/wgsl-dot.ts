// Dot products of WGSL: dot4I8Packed and dot4U8Packed, products of four bytes of two words, summed in 32 bits. Exact. They are functions of
// the language itself, which engines compute by shifts where the GPU has no such instruction.
//
// u8·i8 is made of them: a ^ 0x80, read as i8, is a − 128, and what that takes away, 128·Σb, is added again.

import type { DType } from "../expr/dtype.ts";
import { dotProduct } from "./dot-product.ts";
import type { Intrinsic } from "./intrinsic.ts";

/** Elements of a word, which an instruction takes at once. */
export const wordElements = 4;

/** Text of an instruction on words, for the WGSL printer. */
export interface WordDotText {
  readonly kind: "words";
  /** WGSL expression of what the sum gains; `A` and `B` stand for the words, which are u32. */
  readonly gain: string;
  /** Operations that it takes, with the sum. */
  readonly operations: number;
}

interface WordDot extends Omit<WordDotText, "kind"> {
  readonly name: string;
  readonly a: DType;
  readonly b: DType;
}

const dots: readonly WordDot[] = [
  { name: "dot4I8Packed", a: "i8", b: "i8", gain: "dot4I8Packed(A, B)", operations: 2 },
  { name: "dot4U8Packed", a: "u8", b: "u8", gain: "i32(dot4U8Packed(A, B))", operations: 2 },
  {
    name: "dot4I8Packed.unsigned",
    a: "u8",
    b: "i8",
    gain: "(dot4I8Packed(A ^ 0x80808080u, B) + (dot4I8Packed(0x01010101u, B) << 7u))",
    operations: 6,
  },
];

export const wgslDot: readonly Intrinsic[] = dots.map(({ name, a, b, gain, operations }) => {
  const text: WordDotText = { kind: "words", gain, operations };
  return {
    name,
    features: [],
    meaning: dotProduct(name, { lanes: 1, group: wordElements, a, b, sum: "i32" }),
    exact: true,
    operands: "vectors",
    text: { wgsl: text },
  };
});
