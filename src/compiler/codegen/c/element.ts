// The C types of IR values: element types, vectors of them, and how a vector of any lane count is cut into pieces.

import type { IrType } from "../../ir/loop-ir.ts";

/** C type of one lane. f16 and bf16 are bit patterns (u16). A scalar bool is a u8, a lane of a vector of bool a mask of 0 or -1. */
export type Element = "f64" | "f32" | "i64" | "i32" | "i16" | "i8" | "u16" | "u8";

export const cName: Readonly<Record<Element, string>> = {
  f64: "double",
  f32: "float",
  i64: "long long",
  i32: "int",
  i16: "short",
  i8: "signed char",
  u16: "unsigned short",
  u8: "unsigned char",
};

export const elementBytes: Readonly<Record<Element, number>> = {
  f64: 8,
  f32: 4,
  i64: 8,
  i32: 4,
  i16: 2,
  i8: 1,
  u16: 2,
  u8: 1,
};

/** The element that stores `dtype` in memory. */
export const storedElement: Readonly<Record<IrType, Element>> = {
  f64: "f64",
  f32: "f32",
  f16: "u16",
  bf16: "u16",
  i64: "i64",
  i32: "i32",
  i16: "i16",
  i8: "i8",
  u8: "u8",
  bool: "u8",
};

/** The signed integer as wide as `element`: what a comparison of two vectors gives. */
export const maskElement = (element: Element): Element => signedBySize[elementBytes[element]]!;

const signedBySize: Readonly<Record<number, Element>> = { 1: "i8", 2: "i16", 4: "i32", 8: "i64" };

/** Lanes `start … start + lanes` of a vector. `lanes` is a power of two; one lane is a plain scalar in C. */
export interface Piece {
  readonly start: number;
  readonly lanes: number;
}

/** The only piece of a scalar. */
export const scalarPiece: Piece = { start: 0, lanes: 1 };

/** Cuts `lanes` into powers of two of at most `most` lanes, the largest first: 12 lanes, at most 8 → 8 + 4. */
export function piecesOf(lanes: number, most: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  while (start < lanes) {
    const size = Math.min(most, 2 ** Math.floor(Math.log2(lanes - start)));
    pieces.push({ start, lanes: size });
    start += size;
  }
  return pieces;
}

/** The name of the C type: `float`, or `uk_f32x16` for more than one lane (a typedef of the prelude). */
export const typeName = (element: Element, lanes: number): string =>
  lanes === 1 ? cName[element] : `uk_${element}x${lanes}`;
