// A constant of any IR type → its bytes, or the number to give to the WASM const instruction of its scalar type.

import { toBf16Bits, toF16Bits } from "../../expr/float16.ts";
import type { IrType } from "../../ir/loop-ir.ts";
import { laneBytesOf } from "./value-type.ts";

/** Bytes of a constant, little-endian, laneBytesOf(dtype) many. */
export function constBytes(dtype: IrType, value: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(8));
  if (dtype === "f64") view.setFloat64(0, value, true);
  else if (dtype === "f32") view.setFloat32(0, value, true);
  else if (dtype === "i64") view.setBigInt64(0, BigInt(value), true);
  else view.setInt32(0, scalarConst(dtype, value), true);
  return [...new Uint8Array(view.buffer, 0, laneBytesOf(dtype))];
}

/** The bytes of a vector with the value in all lanes. */
export function splatBytes(dtype: IrType, value: number): readonly number[] {
  const bytes = constBytes(dtype, value);
  return Array.from({ length: 16 }, (_, index) => bytes[index % bytes.length]!);
}

/** Returns the operand of `i32.const` and its siblings: a number, for f16 and bf16 its bits. */
export function scalarConst(dtype: IrType, value: number): number {
  if (dtype === "bf16") return toBf16Bits(value);
  return dtype === "f16" ? toF16Bits(value) : value;
}
