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

export const bytesOfElement = (dtype: IrType): number => (dtype === "i64" ? 8 : byteSize[dtype as DType]);

export const isHalf = (dtype: IrType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";

/** Vector types that are moved by one instruction, by their bytes. */
const moves: Readonly<Record<number, string>> = { 2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4" };

/** Type as which so many bytes are moved at once; undefined: there is none. */
export const moveOf = (bytes: number): string | undefined => moves[bytes];
