// The operations of the language as functions: `add(a, b)` is `a.add(b)`, and takes a plain number on either side.
//
// Operands of one operation have the same type, else `expr.dtype-mismatch`; a type that it does not take is
// `expr.unsupported-dtype`. Floats are f64, f32, f16 and bf16; numbers are floats and i32, i16, i8, u8.

import type { DType } from "./dtype.ts";
import { binary, cast as castOperand, select as selectOperand, unary } from "./expr-handle.ts";
import type { ComputeType, Expr, Operand, ResultType } from "./expr-type.ts";
import type { BinaryOp, UnaryOp } from "./scalar-expr.ts";

type UnaryFunction = <D extends DType>(x: Expr<D>) => Expr<ComputeType<D>>;
type BinaryFunction = <A extends Operand, B extends Operand>(a: A, b: B) => Expr<ResultType<A, B>>;
type Comparison = (a: Operand, b: Operand) => Expr<"bool">;

const unaryFunction =
  (op: UnaryOp): UnaryFunction =>
  (x) =>
    unary(op, x);

const binaryFunction =
  (op: BinaryOp): BinaryFunction =>
  (a, b) =>
    binary(op, a, b);

const comparison =
  (op: BinaryOp): Comparison =>
  (a, b) =>
    binary(op, a, b);

/** -x of a number; integers wrap. */
export const neg: UnaryFunction = unaryFunction("neg");
/** |x| of a number; integers wrap. */
export const abs: UnaryFunction = unaryFunction("abs");
/** Largest whole number that is not above a float. */
export const floor: UnaryFunction = unaryFunction("floor");
/** Smallest whole number that is not below a float. */
export const ceil: UnaryFunction = unaryFunction("ceil");
/** Whole number nearest to a float; halves go to the even one. */
export const round: UnaryFunction = unaryFunction("round");
/** √x of a float. */
export const sqrt: UnaryFunction = unaryFunction("sqrt");
/** 1 / √x of a float. */
export const rsqrt: UnaryFunction = unaryFunction("rsqrt");
/** eˣ of a float. */
export const exp: UnaryFunction = unaryFunction("exp");
/** Natural logarithm of a float. */
export const log: UnaryFunction = unaryFunction("log");
/** Hyperbolic tangent of a float. */
export const tanh: UnaryFunction = unaryFunction("tanh");
/** Error function of a float, 2/√π ∫₀ˣ exp(-t²) dt. */
export const erf: UnaryFunction = unaryFunction("erf");
/** 1 / (1 + exp(-x)) of a float. */
export const sigmoid: UnaryFunction = unaryFunction("sigmoid");

/** a + b of numbers; integers wrap. */
export const add: BinaryFunction = binaryFunction("add");
/** a - b of numbers; integers wrap. */
export const sub: BinaryFunction = binaryFunction("sub");
/** a · b of numbers; integers wrap. */
export const mul: BinaryFunction = binaryFunction("mul");
/** Quotient of floats; integers have floorDiv. */
export const div: BinaryFunction = binaryFunction("div");
/** aᵇ of floats. */
export const pow: BinaryFunction = binaryFunction("pow");
/** Quotient of integers, rounded towards minus infinity. The divisor must be positive. */
export const floorDiv: BinaryFunction = binaryFunction("floorDiv");
/** Remainder of integers, never negative. The divisor must be positive. */
export const mod: BinaryFunction = binaryFunction("mod");

/** a = b, of any type. */
export const eq: Comparison = comparison("eq");
/** a ≠ b, of any type. */
export const ne: Comparison = comparison("ne");
/** a < b of numbers. */
export const lt: Comparison = comparison("lt");
/** a ≤ b of numbers. */
export const le: Comparison = comparison("le");
/** a > b of numbers. */
export const gt: Comparison = comparison("gt");
/** a ≥ b of numbers. */
export const ge: Comparison = comparison("ge");
/** True if both operands, of type bool, are. */
export const and: Comparison = comparison("and");
/** True if one of the operands, of type bool, is. */
export const or: Comparison = comparison("or");
/** True if the operand, of type bool, is false. */
export const not = (x: Expr): Expr<"bool"> => unary("not", x);

/** `condition ? then : otherwise`; only the chosen side is evaluated, so a guarded read may be out of bounds there. */
export const select = <A extends Operand, B extends Operand>(
  condition: Expr<"bool">,
  then: A,
  otherwise: B,
): Expr<ResultType<A, B>> => selectOperand(condition, then, otherwise);

/** Gives a value, or a plain number, another type: `cast(x, "f32")`. */
export const cast = <T extends DType>(x: Operand, dtype: T): Expr<T> => castOperand(x, dtype);
