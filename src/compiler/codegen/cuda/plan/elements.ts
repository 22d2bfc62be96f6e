// Elements as memory and registers hold them. Halves are their bits in both; arithmetic on them is done in f32 and rounded, which is right for one
// operation, as f32 has more than twice the digits.

import type { IrType } from "../../../ir/loop-ir.ts";

export { bytesOfElement } from "../../../ir/element-bytes.ts";

export const isHalf = (dtype: IrType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";

/** Says whether one instruction moves so many bytes. */
export const isMove = (bytes: number): boolean => bytes === 2 || bytes === 4 || bytes === 8 || bytes === 16;
