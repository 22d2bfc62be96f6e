// Elements as memory and registers hold them. Halves are their bits in both; arithmetic on them is done in f32 and rounded, which is right for one
// operation, as f32 has more than twice the digits.

import { byteSize, type DType } from "../../../expr/dtype.ts";
import type { IrType } from "../../../ir/loop-ir.ts";

export const bytesOfElement = (dtype: IrType): number => (dtype === "i64" ? 8 : byteSize[dtype as DType]);

export const isHalf = (dtype: IrType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";

/** Says whether one instruction moves so many bytes. */
export const isMove = (bytes: number): boolean => bytes === 2 || bytes === 4 || bytes === 8 || bytes === 16;
