// Types of elements: the registers that hold them, the types by which memory and instructions know them, and their constants. Integers narrower
// than 32 bits are held as numbers of 32 bits, bools as predicates, halves as their bits.

import { toBf16Bits, toF16Bits } from "../../../expr/float16.ts";
import type { IrType } from "../../../ir/loop-ir.ts";
import { constant, type Emitter, type RegisterKind, type Value } from "./emitter.ts";

export const kindOf: Readonly<Record<IrType, RegisterKind>> = {
  f64: "f64",
  f32: "f32",
  f16: "b16",
  bf16: "b16",
  i64: "b64",
  i32: "b32",
  i16: "b32",
  i8: "b32",
  u8: "b32",
  bool: "pred",
};

/** Types of elements in memory, which loads extend and stores cut off. */
export const memoryType: Readonly<Record<IrType, string>> = {
  f64: "f64",
  f32: "f32",
  f16: "b16",
  bf16: "b16",
  i64: "b64",
  i32: "b32",
  i16: "s16",
  i8: "s8",
  u8: "u8",
  bool: "u8",
};

/** Types by which arithmetic and comparisons know a number; halves are computed as f32. */
export const numberType: Readonly<Record<Exclude<IrType, "f16" | "bf16" | "bool">, string>> = {
  f64: "f64",
  f32: "f32",
  i64: "s64",
  i32: "s32",
  i16: "s32",
  i8: "s32",
  u8: "s32",
};

export const int = (value: number): Value => constant("b32", value);

/** Constants of floats are their bits, in hexadecimal digits. */
function float(value: number): Value {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return constant("f32", `0f${view.getUint32(0).toString(16).padStart(8, "0")}`);
}

function double(value: number): Value {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return constant("f64", `0d${view.getBigUint64(0).toString(16).padStart(16, "0")}`);
}

export function constantOf(dtype: Exclude<IrType, "bool">, value: number): Value {
  if (dtype === "f32") return float(value);
  if (dtype === "f64") return double(value);
  if (dtype === "f16") return constant("b16", toF16Bits(value));
  if (dtype === "bf16") return constant("b16", toBf16Bits(value));
  return constant(kindOf[dtype], value);
}

/** A register with the value, for instructions that take no constants. */
export const inRegister = (value: Value, emitter: Emitter): Value =>
  value.text.startsWith("%") ? value : emitter.compute(`mov.${value.kind}`, value.kind, [value], true);
