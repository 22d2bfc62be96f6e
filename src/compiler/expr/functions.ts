// The operations of the language as functions: `add(a, b)` is `a.add(b)`, and takes a plain number on either side.

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

export const neg: UnaryFunction = unaryFunction("neg");
export const abs: UnaryFunction = unaryFunction("abs");
export const floor: UnaryFunction = unaryFunction("floor");
export const ceil: UnaryFunction = unaryFunction("ceil");
/** Nearest whole number, half to even. */
export const round: UnaryFunction = unaryFunction("round");
export const sqrt: UnaryFunction = unaryFunction("sqrt");
/** 1 / √x */
export const rsqrt: UnaryFunction = unaryFunction("rsqrt");
export const exp: UnaryFunction = unaryFunction("exp");
export const log: UnaryFunction = unaryFunction("log");
export const tanh: UnaryFunction = unaryFunction("tanh");
/** 2/√π ∫₀ˣ exp(-t²) dt */
export const erf: UnaryFunction = unaryFunction("erf");
/** 1 / (1 + exp(-x)) */
export const sigmoid: UnaryFunction = unaryFunction("sigmoid");

export const add: BinaryFunction = binaryFunction("add");
export const sub: BinaryFunction = binaryFunction("sub");
export const mul: BinaryFunction = binaryFunction("mul");
/** Quotient of floats; integers have floorDiv. */
export const div: BinaryFunction = binaryFunction("div");
export const pow: BinaryFunction = binaryFunction("pow");
/** Quotient of integers, rounded towards minus infinity. The divisor must be positive. */
export const floorDiv: BinaryFunction = binaryFunction("floorDiv");
/** Remainder of integers, never negative. The divisor must be positive. */
export const mod: BinaryFunction = binaryFunction("mod");

export const eq: Comparison = comparison("eq");
export const ne: Comparison = comparison("ne");
export const lt: Comparison = comparison("lt");
export const le: Comparison = comparison("le");
export const gt: Comparison = comparison("gt");
export const ge: Comparison = comparison("ge");
export const and: Comparison = comparison("and");
export const or: Comparison = comparison("or");
export const not = (x: Expr): Expr<"bool"> => unary("not", x);

/** `condition ? then : otherwise`; only the chosen side is evaluated, so a guarded read may be out of bounds there. */
export const select = <A extends Operand, B extends Operand>(
  condition: Expr<"bool">,
  then: A,
  otherwise: B,
): Expr<ResultType<A, B>> => selectOperand(condition, then, otherwise);

/** Gives a value, or a plain number, another type: `cast(x, "f32")`. */
export const cast = <T extends DType>(x: Operand, dtype: T): Expr<T> => castOperand(x, dtype);
