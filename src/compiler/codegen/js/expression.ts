// Scalar loop-IR expression → JavaScript text, always in parentheses where it matters. Every f32 operation is rounded by
// Math.fround, every integer one wrapped, so that results equal the reference's bit for bit.

import { isFloat, isInteger } from "../../expr/dtype.ts";
import { integerRange } from "../../expr/scalar-math.ts";
import { flatIndex } from "../../ir/build.ts";
import type { Binary, Buffer, Cast, Expr, IrBinaryOp, IrType, Load, Unary } from "../../ir/loop-ir.ts";
import { InvariantError, invariant } from "../../support/invariant.ts";
import type { Names } from "./names.ts";
import type { HelperName } from "./run-time.ts";

export interface JsContext {
  readonly names: Names;
  readonly buffers: ReadonlyMap<string, Buffer>;
  /** A name that nothing in the function has. */
  readonly fresh: (stem: string) => string;
  /** Notes that a helper is needed and gives its name. */
  readonly use: (helper: HelperName) => string;
}

export function jsExpr(expr: Expr, context: JsContext): string {
  const js = (operand: Expr): string => jsExpr(operand, context);
  switch (expr.kind) {
    case "const":
      return jsConst(expr.dtype, expr.value);
    case "var":
    case "local":
      invariant(expr.kind === "var" || expr.lanes === 1, `JavaScript has no vectors: local ${expr.name}`);
      return context.names(expr.name);
    case "load":
      return jsLoad(expr, context);
    case "unary":
      return jsUnary(expr, context);
    case "binary":
      return isCondition(expr) ? `(${jsCondition(expr, context)} ? 1 : 0)` : jsArithmetic(expr, context);
    case "select":
      return `(${jsCondition(expr.condition, context)} ? ${js(expr.then)} : ${js(expr.else)})`;
    case "cast":
      return jsCast(expr, context);
    case "bitcast":
      return `${context.use(bitcasts[expr.operand.dtype]!)}(${js(expr.operand)})`;
    case "shuffle":
      throw new InvariantError("JavaScript has no threads that hand each other registers");
    case "ramp":
    case "broadcast":
    case "lanes":
    case "interleave":
    case "pick":
    case "fold":
    case "intrinsic":
      invariant(false, `JavaScript has no vectors: ${expr.kind}`);
  }
}

const bitcasts: Partial<Record<IrType, HelperName>> = {
  f32: "$bitsF32",
  i32: "$floatI32",
  f64: "$bitsF64",
  i64: "$floatI64",
};

function jsConst(dtype: IrType, value: number): string {
  if (dtype === "i64") return value < 0 ? `(${value}n)` : `${value}n`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.startsWith("-") ? `(${text})` : text;
}

function jsLoad({ buffer, indices, active, dtype }: Load, context: JsContext): string {
  const stored = jsElement(buffer, indices, context);
  const value = decoded(dtype, stored, context);
  return active ? `(${jsExpr(active, context)} > 0 ? ${value} : 0)` : value;
}

function decoded(dtype: IrType, stored: string, { use }: JsContext): string {
  if (dtype === "f16") return `${use("$fromF16")}(${stored})`;
  if (dtype === "bf16") return `${use("$fromBf16")}(${stored})`;
  return dtype === "bool" ? `(${stored} !== 0 ? 1 : 0)` : stored;
}

/** `A[index]`, to be read or assigned. */
export function jsElement(name: string, indices: readonly Expr[], context: JsContext): string {
  const buffer = context.buffers.get(name);
  invariant(buffer && buffer.shape.length === indices.length, `${name} is accessed with ${indices.length} indices`);
  return `${context.names(name)}[${jsExpr(flatIndex(buffer.shape, indices), context)}]`;
}

/** Brings an exact result into `dtype`: the `fit` of expr/scalar-math. */
function fitted(dtype: IrType, text: string, { use }: JsContext): string {
  switch (dtype) {
    case "f64":
      return `(${text})`;
    case "f32":
      return `Math.fround(${text})`;
    case "f16":
      return `${use("$roundF16")}(${text})`;
    case "bf16":
      return `${use("$roundBf16")}(${text})`;
    case "i32":
      return `(${text} | 0)`;
    case "i16":
      return `((${text}) << 16 >> 16)`;
    case "i8":
      return `((${text}) << 24 >> 24)`;
    case "u8":
      return `((${text}) & 255)`;
    case "bool":
      return `(${text} !== 0 ? 1 : 0)`;
    case "i64":
      return `BigInt.asIntN(64, ${text})`;
  }
}

function jsUnary({ op, operand, dtype }: Unary, context: JsContext): string {
  const x = jsExpr(operand, context);
  if (dtype === "i64" && op === "abs") return fitted(dtype, `(${x} < 0n ? -${x} : ${x})`, context);
  return fitted(dtype, jsMath(op, x, context), context);
}

function jsMath(op: Unary["op"], x: string, { use }: JsContext): string {
  switch (op) {
    case "neg":
      return `-${x}`;
    case "not":
      return `1 - ${x}`;
    case "rsqrt":
      return `1 / Math.sqrt(${x})`;
    case "sigmoid":
      return `1 / (1 + Math.exp(-${x}))`;
    case "erf":
      return `${use("$erf")}(${x})`;
    case "round":
      return `${use("$round")}(${x})`;
    case "abs":
    case "floor":
    case "ceil":
    case "sqrt":
    case "exp":
    case "log":
    case "tanh":
      return `Math.${op}(${x})`;
  }
}

const infix: Partial<Record<IrBinaryOp, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  shl: "<<",
  shr: ">>",
  bitAnd: "&",
  bitOr: "|",
  bitXor: "^",
};
const calls: Partial<Record<IrBinaryOp, HelperName>> = { min: "$min", max: "$max", mod: "$mod", pow: "$pow" };
const conditions: Partial<Record<IrBinaryOp, string>> = {
  eq: "===",
  ne: "!==",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  and: "&&",
  or: "||",
};

const isCondition = (expr: Binary): boolean => Object.hasOwn(conditions, expr.op);

function jsArithmetic({ op, left, right, dtype }: Binary, context: JsContext): string {
  const [a, b] = [jsExpr(left, context), jsExpr(right, context)];
  if (op === "mul" && dtype === "i32") return `Math.imul(${a}, ${b})`;
  if (op === "floorDiv") return fitted(dtype, `Math.floor(${a} / ${b})`, context);
  const call = calls[op];
  // min and max give one of their operands, which fits already.
  if (call)
    return op === "min" || op === "max"
      ? `${context.use(call)}(${a}, ${b})`
      : fitted(dtype, `${context.use(call)}(${a}, ${b})`, context);
  if (dtype === "i64" && (op === "shl" || op === "shr"))
    return fitted(dtype, `(${a} ${infix[op]} (${b} & 63n))`, context);
  return fitted(dtype, `${a} ${infix[op]} ${b}`, context);
}

/** A JavaScript boolean; both sides of `and` and `or` are without effects, so it is no matter that the right may be skipped. */
export function jsCondition(expr: Expr, context: JsContext): string {
  if (expr.kind === "unary" && expr.op === "not") return `!(${jsCondition(expr.operand, context)})`;
  if (expr.kind !== "binary" || !isCondition(expr)) return `${jsExpr(expr, context)} !== 0`;
  const side = expr.op === "and" || expr.op === "or" ? jsCondition : jsExpr;
  return `(${side(expr.left, context)} ${conditions[expr.op]} ${side(expr.right, context)})`;
}

function jsCast({ dtype: to, operand }: Cast, context: JsContext): string {
  const from = operand.dtype;
  const x = jsExpr(operand, context);
  if (from === to) return x;
  if (to === "i64") return isFloat(from as never) ? `${context.use("$toI64")}(${x})` : `BigInt(${x})`;
  if (from === "i64")
    return isFloat(to) ? fitted(to, `Number(${x})`, context) : fitted(to, `Number(BigInt.asIntN(32, ${x}))`, context);
  if (!isFloat(from) || !isInteger(to)) return to === "f64" ? x : fitted(to, x, context);
  const [min, max] = integerRange[to as keyof typeof integerRange];
  return `${context.use("$trunc")}(${x}, ${min}, ${max})`;
}
