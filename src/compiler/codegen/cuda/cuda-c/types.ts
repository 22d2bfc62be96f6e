// Types of CUDA C: of elements, of two neighbours, and of what one instruction moves.

import type { IrType } from "../../../ir/loop-ir.ts";

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

/** Types as which one instruction moves so many bytes. */
const moves: Readonly<Record<number, string>> = { 2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4" };

export const cudaMove = (bytes: number): string => moves[bytes]!;
