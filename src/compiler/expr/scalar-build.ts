// Scalar expressions made by the compiler itself: where an operator is rewritten there is no user's line to point to.

import type { DType } from "./dtype.ts";
import { binaryResult } from "./operator-dtype.ts";
import type {
  AxisExpr,
  BinaryExpr,
  BinaryOp,
  CastExpr,
  ConstExpr,
  ReadExpr,
  ScalarExpr,
  SelectExpr,
} from "./scalar-expr.ts";

export const axisOf = (name: string): AxisExpr => ({ kind: "axis", name, dtype: "i32", loc: null });

export const integerOf = (value: number): ConstExpr => ({ kind: "const", value, dtype: "i32", loc: null });

export const f32Of = (value: number): ConstExpr => ({
  kind: "const",
  value: Math.fround(value),
  dtype: "f32",
  loc: null,
});

/** An element of a tensor of the type. */
export const elementAt = (dtype: DType, tensor: string, indices: readonly ScalarExpr[]): ReadExpr => ({
  kind: "read",
  tensor,
  indices,
  dtype,
  loc: null,
});

/** An element of an f32 tensor. */
export const f32At = (tensor: string, indices: readonly ScalarExpr[]): ReadExpr => elementAt("f32", tensor, indices);

export const castOf = (dtype: DType, operand: ScalarExpr): CastExpr => ({ kind: "cast", operand, dtype, loc: null });

/** Operator on two operands, which have one type. */
export const binaryOf = (op: BinaryOp, left: ScalarExpr, right: ScalarExpr): BinaryExpr => ({
  kind: "binary",
  op,
  left,
  right,
  dtype: binaryResult(op, left.dtype),
  loc: null,
});

export const selectOf = (condition: ScalarExpr, then: ScalarExpr, otherwise: ScalarExpr): SelectExpr => ({
  kind: "select",
  condition,
  then,
  else: otherwise,
  dtype: then.dtype,
  loc: null,
});
