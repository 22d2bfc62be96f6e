// Types of elements: how memory stores them, and how registers hold them. Halves are their bits in both; arithmetic on them is
// done in f32 and rounded, which is right for one operation, as f32 has more than twice the digits.

import { byteSize, type DType } from "../../expr/dtype.ts";
import type { IrType } from "../../ir/loop-ir.ts";

export const cudaType: Readonly<Record<IrType, string>> = {
  f64: "double",
  f32: "float",
  f16: "unsigned short",
  bf16: "unsigned short",
  i64: "long long",
  i32: "int",
  i16: "short",
  i8: "signed char",
  u8: "unsigned char",
  bool: "unsigned char",
};

/** Types of two neighbours, which are stored at once. */
export const cudaPair: Readonly<Record<IrType, string>> = {
  f64: "double2",
  f32: "float2",
  f16: "ushort2",
  bf16: "ushort2",
  i64: "longlong2",
  i32: "int2",
  i16: "short2",
  i8: "char2",
  u8: "uchar2",
  bool: "uchar2",
};

export const bytesOfElement = (dtype: IrType): number => (dtype === "i64" ? 8 : byteSize[dtype as DType]);

export const isHalf = (dtype: IrType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";

/** Vector types that are moved by one instruction, by their bytes. */
const moves: Readonly<Record<number, string>> = { 2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4" };

/** Type as which so many bytes are moved at once; undefined: there is none. */
export const moveOf = (bytes: number): string | undefined => moves[bytes];
