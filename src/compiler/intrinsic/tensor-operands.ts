// Types of operands that NVIDIA's tensor cores multiply, and of their sums: alike for products of a warp and of four warps.

import type { DType } from "../expr/dtype.ts";

export interface TensorOperands {
  /** Their types in PTX: of both, or of the left and the right one. */
  readonly operands: "f16" | "bf16" | "s8" | "u8" | "u8_s8" | "s8_u8";
  readonly left: DType;
  readonly right: DType;
  readonly sum: "f32" | "i32";
}

export const tensorOperands: readonly TensorOperands[] = [
  { operands: "f16", left: "f16", right: "f16", sum: "f32" },
  { operands: "bf16", left: "bf16", right: "bf16", sum: "f32" },
  { operands: "s8", left: "i8", right: "i8", sum: "i32" },
  { operands: "u8", left: "u8", right: "u8", sum: "i32" },
  { operands: "u8_s8", left: "u8", right: "i8", sum: "i32" },
  { operands: "s8_u8", left: "i8", right: "u8", sum: "i32" },
];
