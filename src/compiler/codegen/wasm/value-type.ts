// WASM types of the IR's types: a scalar is one of the four number types, a vector the lanes of a v128.

import type { IrType } from "../../ir/loop-ir.ts";
import type { ValueType } from "./instruction.ts";

type NumberType = Exclude<ValueType, "v128">;

/** Types of scalars as they are held: narrow integers extended to i32, f16 and bf16 as their bits, bool as 0 or 1. */
export const scalarType: Readonly<Record<IrType, NumberType>> = {
  f64: "f64",
  f32: "f32",
  f16: "i32",
  bf16: "i32",
  i64: "i64",
  i32: "i32",
  i16: "i32",
  i8: "i32",
  u8: "i32",
  bool: "i32",
};

export type Shape = "f64x2" | "f32x4" | "i64x2" | "i32x4" | "i16x8" | "i8x16";

export const vectorShape: Readonly<Record<IrType, Shape>> = {
  f64: "f64x2",
  f32: "f32x4",
  f16: "i16x8",
  bf16: "i16x8",
  i64: "i64x2",
  i32: "i32x4",
  i16: "i16x8",
  i8: "i8x16",
  u8: "i8x16",
  bool: "i8x16",
};

export { bytesOfElement as laneBytesOf } from "../../ir/element-bytes.ts";

export const isFloatType = (dtype: IrType): dtype is "f32" | "f64" => dtype === "f32" || dtype === "f64";
export const isHalf = (dtype: IrType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";
