// The objects that users chain on. Each holds one finished ScalarExpr, with its type checked and its place in the file.

import type { SourceLoc } from "../support/source-loc.ts";
import { fail, here } from "./builder.ts";
import { inWords, isWhat } from "./describe.ts";
import { byteSize, computeType, type DType, dtypes, isFloat } from "./dtype.ts";
import type { ComputeType, Expr, Operand, ResultType } from "./expr-type.ts";
import { accepts, binaryDomain, binaryResult, type TypeClass, unaryDomain } from "./operator-dtype.ts";
import { powerProduct } from "./powers.ts";
import { refusePrimitive, type Trapped } from "./primitive-trap.ts";
import { printExpr } from "./print.ts";
import type { BinaryOp, ScalarExpr, UnaryOp } from "./scalar-expr.ts";
import { fit, integerRange } from "./scalar-math.ts";
import { arrayTypes } from "./typed-array.ts";

export class ExprHandle<D extends DType = DType> implements Expr<D> {
  readonly expr: ScalarExpr;

  constructor(expr: ScalarExpr) {
    this.expr = expr;
  }

  get dtype(): D {
    return this.expr.dtype as D;
  }

  /** Operators of JavaScript, templates and Math ask for it. */
  [Symbol.toPrimitive](wanted: string): never {
    return refusePrimitive(trapped(this), wanted);
  }
  get [inWords](): string {
    return `an expression of type ${this.dtype}`;
  }
  /** The computation as text: console.log, JSON.stringify and inspectors show it. */
  toString(): string {
    return printExpr(this.expr);
  }
  toJSON(): string {
    return this.toString();
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `Expr<${this.dtype}> ${this.toString()}`;
  }

  add(other: Operand): Expr<ComputeType<D>> {
    return binary("add", this, other);
  }
  sub(other: Operand): Expr<ComputeType<D>> {
    return binary("sub", this, other);
  }
  mul(other: Operand): Expr<ComputeType<D>> {
    return binary("mul", this, other);
  }
  div(other: Operand): Expr<ComputeType<D>> {
    return binary("div", this, other);
  }
  floorDiv(other: Operand): Expr<ComputeType<D>> {
    return binary("floorDiv", this, other);
  }
  mod(other: Operand): Expr<ComputeType<D>> {
    return binary("mod", this, other);
  }
  min(other: Operand): Expr<ComputeType<D>> {
    return binary("min", this, other);
  }
  max(other: Operand): Expr<ComputeType<D>> {
    return binary("max", this, other);
  }
  pow(other: Operand): Expr<ComputeType<D>> {
    return binary("pow", this, other);
  }
  eq(other: Operand): Expr<"bool"> {
    return binary("eq", this, other);
  }
  ne(other: Operand): Expr<"bool"> {
    return binary("ne", this, other);
  }
  lt(other: Operand): Expr<"bool"> {
    return binary("lt", this, other);
  }
  le(other: Operand): Expr<"bool"> {
    return binary("le", this, other);
  }
  gt(other: Operand): Expr<"bool"> {
    return binary("gt", this, other);
  }
  ge(other: Operand): Expr<"bool"> {
    return binary("ge", this, other);
  }
  and(other: Operand): Expr<"bool"> {
    return binary("and", this, other);
  }
  or(other: Operand): Expr<"bool"> {
    return binary("or", this, other);
  }
  not(): Expr<"bool"> {
    return unary("not", this);
  }
  neg(): Expr<ComputeType<D>> {
    return unary("neg", this);
  }
  abs(): Expr<ComputeType<D>> {
    return unary("abs", this);
  }
  floor(): Expr<ComputeType<D>> {
    return unary("floor", this);
  }
  ceil(): Expr<ComputeType<D>> {
    return unary("ceil", this);
  }
  round(): Expr<ComputeType<D>> {
    return unary("round", this);
  }
  sqrt(): Expr<ComputeType<D>> {
    return unary("sqrt", this);
  }
  rsqrt(): Expr<ComputeType<D>> {
    return unary("rsqrt", this);
  }
  exp(): Expr<ComputeType<D>> {
    return unary("exp", this);
  }
  log(): Expr<ComputeType<D>> {
    return unary("log", this);
  }
  tanh(): Expr<ComputeType<D>> {
    return unary("tanh", this);
  }
  erf(): Expr<ComputeType<D>> {
    return unary("erf", this);
  }
  sigmoid(): Expr<ComputeType<D>> {
    return unary("sigmoid", this);
  }
  select<A extends Operand, B extends Operand>(then: A, otherwise: B): Expr<ResultType<A, B>> {
    return select(this, then, otherwise);
  }
  cast<T extends DType>(dtype: T): Expr<T> {
    return cast(this, dtype);
  }
}

/** Names of the methods that give an expression. */
export const expressionMethods: readonly string[] = Object.getOwnPropertyNames(ExprHandle.prototype).filter(
  (name) => !["constructor", "dtype", "toString", "toJSON"].includes(name),
);

/** Words for an error about an expression that JavaScript takes for a value. */
export const trapped = ({ dtype, [inWords]: what }: ExprHandle): Trapped => ({ what, dtype, first: null });

// The callers below know more of the type than the construction: the type parameter says what they promise.
const handle = <D extends DType>(expr: ScalarExpr): Expr<D> => new ExprHandle<D>(expr);

export function unary<D extends DType>(op: UnaryOp, operand: Operand): Expr<D> {
  const loc = here();
  const [inner] = alike(op, [operand]) as [ScalarExpr];
  requireDomain(op, unaryDomain[op], inner.dtype);
  return handle({ kind: "unary", op, operand: inner, dtype: inner.dtype, loc });
}

export function binary<D extends DType>(op: BinaryOp, a: Operand, b: Operand): Expr<D> {
  const loc = here();
  const [left, right] = alike(op, [a, b]) as [ScalarExpr, ScalarExpr];
  requireDomain(op, binaryDomain[op], left.dtype);
  const product = op === "pow" ? powerProduct(left, right, loc) : null;
  return handle(product ?? { kind: "binary", op, left, right, dtype: binaryResult(op, left.dtype), loc });
}

export function select<D extends DType>(condition: Operand, a: Operand, b: Operand): Expr<D> {
  const loc = here();
  const test = toExpr(condition, "bool", "the condition of select");
  if (test.dtype !== "bool") {
    fail("expr.unsupported-dtype", `select is given a condition of type ${test.dtype}, it takes bool`, {
      hint: "compare it: x.ne(0)",
    });
  }
  const [then, otherwise] = alike("select", [a, b]) as [ScalarExpr, ScalarExpr];
  return handle({ kind: "select", condition: test, then, else: otherwise, dtype: then.dtype, loc });
}

/** Converts an operand. Casts from and to f16 and bf16 go through f32, so that the back ends know only f32 ↔ f16 and f32 ↔ bf16. */
export function cast<T extends DType>(operand: Operand, dtype: T): Expr<T> {
  requireDType(dtype, "the type of cast");
  if (typeof operand === "number") return handle(constant(operand, dtype));
  const inner = toExpr(operand, dtype, "the operand of cast");
  const loc = here();
  return handle(castTo(castTo(castTo(inner, computeType(inner.dtype), loc), computeType(dtype), loc), dtype, loc));
}

export function castTo(operand: ScalarExpr, dtype: DType, loc: SourceLoc | null): ScalarExpr {
  return operand.dtype === dtype ? operand : { kind: "cast", operand, dtype, loc };
}

/** The operands as expressions of one computing type; a plain number takes the type of the first expression. */
function alike(op: string, operands: readonly Operand[]): readonly ScalarExpr[] {
  const typed = operands.find((operand) => typeof operand !== "number");
  if (operands.every((operand) => typeof operand === "number")) {
    const hint = `give one of them a type: cast(${operands[0]}, "f32")`;
    fail("expr.no-dtype", `${op} is given plain numbers only`, { hint });
  }
  const dtype = computeType(toExpr(typed, "f32", `an operand of ${op}`).dtype);
  const exprs = operands.map((operand) => widen(toExpr(operand, dtype, `an operand of ${op}`)));
  const other = exprs.find((expr) => expr.dtype !== dtype);
  if (other) {
    const given = exprs.map((expr) => expr.dtype).join(" and ");
    fail("expr.dtype-mismatch", `${op} is given ${given}`, {
      hint: `cast one of them: x.cast("${widerOf(dtype, other.dtype)}")`,
    });
  }
  return exprs;
}

const widerOf = (a: DType, b: DType): DType =>
  isFloat(a) !== isFloat(b) ? (isFloat(a) ? a : b) : byteSize[a] >= byteSize[b] ? a : b;

/** A value of a storage type as a value that can be computed with. */
export const widen = (expr: ScalarExpr): ScalarExpr => castTo(expr, computeType(expr.dtype), expr.loc);

/** The expression behind an operand; a plain number becomes a constant of `dtype`. `what` names it in the message. */
export function toExpr(operand: unknown, dtype: DType, what: string): ScalarExpr {
  if (typeof operand === "number") return constant(operand, dtype);
  if (operand instanceof ExprHandle) return operand.expr;
  return fail("expr.not-an-expression", `${what} ${isWhat(operand)}`, { hint: hintFor(operand) });
}

function hintFor(operand: unknown): string {
  if (operand instanceof Promise) return "the functions of an operator are not async: they write it down at once";
  if (typeof operand === "function" && inWords in operand) return "read its elements, with an index for each dimension";
  if (typeof operand !== "string" || operand.trim() === "" || !Number.isFinite(Number(operand)))
    return "give an expression or a number";
  return `give a number: ${Number(operand)}`;
}

/** A number in the range of `dtype`; a float is rounded to the nearest value of its type. */
function constant(value: number, dtype: DType): ScalarExpr {
  if (!isFloat(dtype)) requireInteger(value, dtype);
  return { kind: "const", value: isFloat(dtype) ? fit[dtype](value) : value + 0, dtype, loc: here() };
}

function requireInteger(value: number, dtype: DType): void {
  const [min, max] = integerRange[dtype as keyof typeof integerRange];
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const wanted = dtype === "bool" ? "is 0 or 1" : `holds the integers ${min} to ${max}`;
  const hint = Number.isInteger(value) ? "cast the other operand to a wider type" : "cast the other operand to a float";
  fail(
    "expr.constant-range",
    `${Number.isNaN(value) ? "what is not a number" : value} is not a value of ${dtype}, which ${wanted}`,
    { hint },
  );
}

function requireDomain(op: string, domain: TypeClass, dtype: DType): void {
  if (accepts(domain, dtype)) return;
  const hint =
    domain === "bool"
      ? "compare first: x.ne(0)"
      : domain === "integers"
        ? "divide floats with div, or cast to an integer type"
        : dtype === "bool"
          ? 'cast it: x.cast("i32")'
          : op === "div"
            ? 'divide integers with floorDiv, or cast them: x.cast("f32")'
            : 'cast it: x.cast("f32")';
  fail("expr.unsupported-dtype", `${op} is given ${dtype}, it takes ${domain}`, { hint });
}

/** @param what names the type in the message: "the type of A" */
export function requireDType(dtype: unknown, what: string): asserts dtype is DType {
  if ((dtypes as readonly unknown[]).includes(dtype)) return;
  const found = typeof dtype === "string" ? `${dtype} is not a type` : `${what} ${isWhat(dtype)}`;
  const ofArray = Object.entries(arrayTypes).find(([, array]) => array === dtype)?.[0];
  const hint = ofArray ? `write "${ofArray}"` : `the types are ${dtypes.join(", ")}`;
  fail("expr.unknown-dtype", found, { hint });
}
