// Scalar expressions: what one element of a compute is made of. A discriminated union; nothing here is ever mutated.

import type { SourceLoc } from "../support/source-loc.ts";
import type { DType } from "./dtype.ts";

/** Operators of one operand. All but `neg`, `not`, `abs` need a float (f32 or f64). `round` is half to even. */
export const unaryOps = [
  "neg",
  "not",
  "abs",
  "floor",
  "ceil",
  "round",
  "sqrt",
  "rsqrt",
  "exp",
  "log",
  "tanh",
  "erf",
  "sigmoid",
] as const;
export type UnaryOp = (typeof unaryOps)[number];

/**
 * Operators of two operands. Comparisons give `bool`, `and` and `or` take it. `floorDiv` and `mod` are for integers and
 * round towards minus infinity; `div` and `pow` are for floats. `min(a, b)` is `b < a ? b : a` and `max(a, b)` is
 * `a < b ? b : a`, so a NaN on the right is ignored and one on the left stays.
 */
export const arithmeticOps = ["add", "sub", "mul", "div", "floorDiv", "mod", "min", "max", "pow"] as const;
export const comparisonOps = ["eq", "ne", "lt", "le", "gt", "ge"] as const;
export const logicalOps = ["and", "or"] as const;
export const binaryOps = [...arithmeticOps, ...comparisonOps, ...logicalOps] as const;
export type BinaryOp = (typeof binaryOps)[number];

/** `argmax` and `argmin` give the first index (i32) over one reduce axis. */
export const reducers = ["sum", "prod", "max", "min"] as const;
export type Reducer = (typeof reducers)[number];

/**
 * Functions of one operand that no target has an instruction for: they become polynomials, which round otherwise than the
 * functions of JavaScript.
 */
export const expandedUnaryOps = ["exp", "log", "rsqrt", "tanh", "erf", "sigmoid"] as const satisfies readonly UnaryOp[];
/** All expanded functions; `sqrt` is an instruction, and exact. */
export const expandedOps: ReadonlySet<string> = new Set<UnaryOp | BinaryOp>([...expandedUnaryOps, "pow"]);
/** Operators that take far longer than arithmetic: the expanded functions and the square root. */
export const functionOps: ReadonlySet<string> = new Set([...expandedOps, "sqrt"]);

/** A spatial axis of a compute or a reduce axis; `name` is unique within its stage. */
export interface Axis {
  readonly name: string;
  readonly extent: number;
}

interface Typed {
  /** The type of the value. */
  readonly dtype: DType;
  /** Position in the user's file; printing and digests ignore it. */
  readonly loc: SourceLoc | null;
}

export interface ConstExpr extends Typed {
  readonly kind: "const";
  /** A number in the range of `dtype`; infinities and NaN are allowed for floats; bool is 0 or 1. */
  readonly value: number;
}

export interface AxisExpr extends Typed {
  readonly kind: "axis";
  readonly name: string;
}

/** Reads a tensor or an earlier stage. The dtype is the storage type; the authoring layer casts f16 and bf16 to f32. */
export interface ReadExpr extends Typed {
  readonly kind: "read";
  readonly tensor: string;
  readonly indices: readonly ScalarExpr[];
}

export interface UnaryExpr extends Typed {
  readonly kind: "unary";
  readonly op: UnaryOp;
  readonly operand: ScalarExpr;
}

export interface BinaryExpr extends Typed {
  readonly kind: "binary";
  readonly op: BinaryOp;
  readonly left: ScalarExpr;
  readonly right: ScalarExpr;
}

/** Evaluates only the side that `condition` picks, so a guarded read may have an index outside its tensor. */
export interface SelectExpr extends Typed {
  readonly kind: "select";
  readonly condition: ScalarExpr;
  readonly then: ScalarExpr;
  readonly else: ScalarExpr;
}

export interface CastExpr extends Typed {
  readonly kind: "cast";
  readonly operand: ScalarExpr;
}

export type ScalarExpr = ConstExpr | AxisExpr | ReadExpr | UnaryExpr | BinaryExpr | SelectExpr | CastExpr;
