// The types of the language as its users see them. What stands behind them is in expr-handle.ts and tensor.ts.

import type { DType } from "./dtype.ts";

/** Type that values of a storage type are computed in: a value read from an f16 or bf16 tensor is an f32. */
export type ComputeType<D extends DType> = D extends "f16" | "bf16" ? "f32" : D;

/** Operand of an operator. A plain number takes the type of the other operand. */
export type Operand = Expr | number;

/** The type of an operation on `A` and `B`, of which at least one is an expression. */
export type ResultType<A, B> =
  A extends Expr<infer D> ? ComputeType<D> : B extends Expr<infer D> ? ComputeType<D> : DType;

/**
 * A scalar expression. Both operands of an operation have the same type, else it is an error that asks for a cast;
 * integer arithmetic wraps, f32 arithmetic rounds after each operation.
 */
export interface Expr<D extends DType = DType> {
  readonly dtype: D;
  add(other: Operand): Expr<ComputeType<D>>;
  sub(other: Operand): Expr<ComputeType<D>>;
  mul(other: Operand): Expr<ComputeType<D>>;
  /** Quotient of floats. */
  div(other: Operand): Expr<ComputeType<D>>;
  /** Quotient of integers, rounded towards minus infinity. The divisor must be positive. */
  floorDiv(other: Operand): Expr<ComputeType<D>>;
  /** Remainder of integers, never negative. The divisor must be positive. */
  mod(other: Operand): Expr<ComputeType<D>>;
  /** `other < this ? other : this` */
  min(other: Operand): Expr<ComputeType<D>>;
  /** `this < other ? other : this` */
  max(other: Operand): Expr<ComputeType<D>>;
  /** Power of floats. */
  pow(other: Operand): Expr<ComputeType<D>>;
  eq(other: Operand): Expr<"bool">;
  ne(other: Operand): Expr<"bool">;
  lt(other: Operand): Expr<"bool">;
  le(other: Operand): Expr<"bool">;
  gt(other: Operand): Expr<"bool">;
  ge(other: Operand): Expr<"bool">;
  and(other: Operand): Expr<"bool">;
  or(other: Operand): Expr<"bool">;
  not(): Expr<"bool">;
  neg(): Expr<ComputeType<D>>;
  abs(): Expr<ComputeType<D>>;
  floor(): Expr<ComputeType<D>>;
  ceil(): Expr<ComputeType<D>>;
  /** Nearest whole number, half to even. */
  round(): Expr<ComputeType<D>>;
  sqrt(): Expr<ComputeType<D>>;
  rsqrt(): Expr<ComputeType<D>>;
  exp(): Expr<ComputeType<D>>;
  log(): Expr<ComputeType<D>>;
  tanh(): Expr<ComputeType<D>>;
  erf(): Expr<ComputeType<D>>;
  sigmoid(): Expr<ComputeType<D>>;
  /** `this ? then : otherwise`; only the chosen side is evaluated. */
  select<A extends Operand, B extends Operand>(this: Expr, then: A, otherwise: B): Expr<ResultType<A, B>>;
  /** Converts: float to integer truncates and saturates, NaN gives 0; integer to narrower wraps; to f16 and bf16 rounds to even. */
  cast<T extends DType>(dtype: T): Expr<T>;
}

/** Index of a reduction: an i32 that runs from 0 to `extent` - 1. */
export interface ReduceAxis extends Expr<"i32"> {
  readonly axisName: string;
  readonly extent: number;
}

/** An input or a stage; reads one element when it is called with as many indices as it has dimensions. */
export interface Tensor<D extends DType = DType> {
  (...indices: readonly Operand[]): Expr<ComputeType<D>>;
  readonly tensorName: string;
  readonly shape: readonly number[];
  readonly dtype: D;
}
