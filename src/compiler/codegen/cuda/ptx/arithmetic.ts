// Operators on scalars → instructions on registers. Integers narrower than 32 bits are brought back into their range after each operation that can
// leave it; halves are computed as f32 and rounded.

import { integerRange } from "../../../expr/scalar-math.ts";
import type { IrBinaryOp, IrType, Unary } from "../../../ir/loop-ir.ts";
import { cannotRun } from "../../cannot.ts";
import { isHalf } from "../plan/elements.ts";
import { constant, type Emitter, type RegisterKind, type Value } from "./emitter.ts";
import { constantOf, inRegister, int, kindOf, numberType } from "./registers.ts";

export interface Arithmetic {
  readonly emitter: Emitter;
  /** Whether products and sums may be fused. */
  readonly isFast: boolean;
}

type Plain = keyof typeof numberType;

const isFloating = (dtype: IrType): dtype is "f32" | "f64" => dtype === "f32" || dtype === "f64";
const isNarrow = (dtype: IrType): dtype is "i16" | "i8" | "u8" => dtype === "i16" || dtype === "i8" || dtype === "u8";

const refuse = (op: string): never => {
  throw cannotRun("cuda", `there is no code for ${op}`, "functions are expanded before");
};

/** Result of an instruction on numbers. What computes indices may leave loops. */
function on(emitter: Emitter, name: string, dtype: Plain, ...operands: readonly Value[]): Value {
  return emitter.compute(name, kindOf[dtype], operands, !isFloating(dtype));
}

// ── unary ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function unaryOf({ op, dtype }: Pick<Unary, "op" | "dtype">, x: Value, own: Arithmetic): Value {
  const { emitter } = own;
  if (dtype === "bool") return emitter.compute("not.pred", "pred", [x], false);
  if (isHalf(dtype)) return toHalf(dtype, unaryOf({ op, dtype: "f32" }, fromHalf(dtype, x, emitter), own), emitter);
  const type = numberType[dtype];
  switch (op) {
    case "neg":
    case "abs":
      return narrowed(dtype, on(emitter, `${op}.${type}`, dtype, x), emitter);
    case "floor":
      return on(emitter, `cvt.rmi.${type}.${type}`, dtype, inRegister(x, emitter));
    case "ceil":
      return on(emitter, `cvt.rpi.${type}.${type}`, dtype, inRegister(x, emitter));
    case "round":
      return on(emitter, `cvt.rni.${type}.${type}`, dtype, inRegister(x, emitter));
    case "sqrt":
      return on(emitter, `sqrt.rn.${type}`, dtype, x);
    case "rsqrt":
      return on(emitter, `rcp.rn.${type}`, dtype, on(emitter, `sqrt.rn.${type}`, dtype, x));
    default:
      return refuse(op);
  }
}

// ── binary ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const comparisons: Partial<Record<IrBinaryOp, string>> = { eq: "eq", ne: "ne", lt: "lt", le: "le", gt: "gt", ge: "ge" };
const bitwise: Partial<Record<IrBinaryOp, string>> = {
  bitAnd: "and",
  bitOr: "or",
  bitXor: "xor",
  and: "and",
  or: "or",
};

/** @param dtype type of the operands */
export function binaryOf(op: IrBinaryOp, dtype: IrType, a: Value, b: Value, own: Arithmetic): Value {
  const { emitter } = own;
  const comparison = comparisons[op];
  if (isHalf(dtype)) {
    const value = binaryOf(op, "f32", fromHalf(dtype, a, emitter), fromHalf(dtype, b, emitter), own);
    return comparison ? value : toHalf(dtype, value, emitter);
  }
  if (dtype === "bool") return onPredicates(op, a, b, emitter);
  if (comparison) return compared(comparison, dtype, a, b, emitter);
  const type = numberType[dtype];
  switch (op) {
    case "add":
    case "sub":
      return narrowed(
        dtype,
        on(emitter, `${op}${isFloating(dtype) ? roundingOf(own) : ""}.${type}`, dtype, a, b),
        emitter,
      );
    case "mul":
      return narrowed(
        dtype,
        on(emitter, `mul${isFloating(dtype) ? roundingOf(own) : ".lo"}.${type}`, dtype, a, b),
        emitter,
      );
    case "div":
      return on(emitter, `div${isFloating(dtype) ? ".rn" : ""}.${type}`, dtype, a, b);
    case "min":
    case "max":
      return least(op, dtype, a, b, emitter);
    case "floorDiv":
    case "mod":
      return isFloating(dtype) ? floorOf(op, dtype, a, b, own) : wholeOf(op, dtype, a, b, emitter);
    case "shl":
      return narrowed(dtype, on(emitter, `shl.${kindOf[dtype]}`, dtype, a, shiftOf(b, emitter)), emitter);
    case "shr":
      return on(emitter, `shr.${type}`, dtype, a, shiftOf(b, emitter));
    default:
      return on(emitter, `${bitwise[op] ?? refuse(op)}.${kindOf[dtype]}`, dtype, a, b);
  }
}

/** Without a rounding ptxas fuses products and sums. */
const roundingOf = ({ isFast }: Arithmetic): string => (isFast ? "" : ".rn");

/** Distances of shifts have 32 bits. */
const shiftOf = (distance: Value, { compute }: Emitter): Value =>
  distance.kind === "b64" && distance.text.startsWith("%") ? compute("cvt.u32.u64", "b32", [distance], true) : distance;

function onPredicates(op: IrBinaryOp, a: Value, b: Value, { compute }: Emitter): Value {
  const name = op === "ne" ? "xor" : op === "eq" ? "xor" : (bitwise[op] ?? refuse(op));
  const result = compute(`${name}.pred`, "pred", [a, b], false);
  return op === "eq" ? compute("not.pred", "pred", [result], false) : result;
}

/** NaN is equal to nothing, and so it differs from all. */
const compared = (comparison: string, dtype: Plain, a: Value, b: Value, { compute }: Emitter): Value =>
  compute(
    `setp.${isFloating(dtype) && comparison === "ne" ? "neu" : comparison}.${numberType[dtype]}`,
    "pred",
    [a, b],
    false,
  );

/** One of two numbers; of floats the first, where one is NaN. */
function least(op: "min" | "max", dtype: Plain, a: Value, b: Value, emitter: Emitter): Value {
  const type = numberType[dtype];
  if (!isFloating(dtype)) return on(emitter, `${op}.${type}`, dtype, a, b);
  const isOther = compared(op === "min" ? "lt" : "gt", dtype, b, a, emitter);
  return chosen(isOther, b, a, emitter);
}

/** The value of a choice of which both sides are known. */
export function chosen(condition: Value, yes: Value, no: Value, { compute }: Emitter): Value {
  if (yes.kind !== "pred") return compute(`selp.${yes.kind}`, yes.kind, [yes, no, condition], yes.kind === "b32");
  const otherwise = compute("not.pred", "pred", [condition], false);
  return compute(
    "or.pred",
    "pred",
    [compute("and.pred", "pred", [condition, yes], false), compute("and.pred", "pred", [otherwise, no], false)],
    false,
  );
}

function floorOf(op: "floorDiv" | "mod", dtype: "f32" | "f64", a: Value, b: Value, own: Arithmetic): Value {
  const floor = unaryOf({ op: "floor", dtype }, binaryOf("div", dtype, a, b, own), own);
  return op === "floorDiv" ? floor : binaryOf("sub", dtype, a, binaryOf("mul", dtype, floor, b, own), own);
}

/** Division of integers that rounds down: the machine's rounds towards zero. */
function wholeOf(op: "floorDiv" | "mod", dtype: Plain, a: Value, b: Value, emitter: Emitter): Value {
  const [type, kind] = [numberType[dtype], kindOf[dtype]];
  const divisor = Number(b.text);
  const log = Math.log2(divisor);
  // Shifts round down, and a mask leaves what is over.
  if (Number.isInteger(log)) {
    return op === "mod"
      ? on(emitter, `and.${kind}`, dtype, a, constant(kind, divisor - 1))
      : on(emitter, `shr.${type}`, dtype, a, int(log));
  }
  const quotient = on(emitter, `div.${type}`, dtype, a, b);
  const rest = on(emitter, `sub.${type}`, dtype, a, on(emitter, `mul.lo.${type}`, dtype, quotient, b));
  const differs = compared("lt", dtype, on(emitter, `xor.${kind}`, dtype, rest, b), constant(kind, 0), emitter);
  const isOver = compared("ne", dtype, rest, constant(kind, 0), emitter);
  const isLow = emitter.compute("and.pred", "pred", [differs, isOver], false);
  const [one, by] =
    op === "mod"
      ? [on(emitter, `add.${type}`, dtype, rest, b), rest]
      : [on(emitter, `sub.${type}`, dtype, quotient, constant(kind, 1)), quotient];
  return narrowed(dtype, chosen(isLow, one, by, emitter), emitter);
}

/**
 * Quotient of a number below 2³¹ that is never negative by a constant that is no power of two: the upper half of a product.
 * Source: Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (PLDI 1994), theorem 4.2 with N = 31.
 */
export function quotientOf(a: Value, divisor: number, { compute }: Emitter): Value {
  const log = Math.ceil(Math.log2(divisor));
  const factor = 2n ** BigInt(31 + log) / BigInt(divisor) + 1n;
  const high = compute("mul.hi.u32", "b32", [a, constant("b32", factor.toString())], true);
  return log === 1 ? high : compute("shr.u32", "b32", [high, int(log - 1)], true);
}

// ── conversions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Brings an integer back into the range of its type. */
function narrowed(dtype: IrType, value: Value, { compute }: Emitter): Value {
  if (!isNarrow(dtype)) return value;
  if (dtype === "u8") return compute("and.b32", "b32", [value, int(255)], true);
  return compute(`cvt.s32.${dtype === "i8" ? "s8" : "s16"}`, "b32", [value], true);
}

export function fromHalf(dtype: "f16" | "bf16", x: Value, emitter: Emitter): Value {
  const { compute } = emitter;
  const half = inRegister(x, emitter);
  if (dtype === "f16") return compute("cvt.f32.f16", "f32", [half], false);
  const low = compute("cvt.u32.u16", "b32", [half], false);
  return compute("mov.b32", "f32", [compute("shl.b32", "b32", [low, int(16)], false)], false);
}

const toHalf = (dtype: "f16" | "bf16", x: Value, emitter: Emitter): Value =>
  emitter.compute(`cvt.rn.${dtype}.f32`, "b16", [inRegister(x, emitter)], false);

export function castOf(from: IrType, to: IrType, x: Value, own: Arithmetic): Value {
  const { emitter } = own;
  const { compute } = emitter;
  if (from === to) return x;
  if (isHalf(from)) return castOf("f32", to, fromHalf(from, x, emitter), own);
  if (isHalf(to)) return toHalf(to, castOf(from, "f32", x, own), emitter);
  if (from === "bool") return chosen(x, constantOf(to as Plain, 1), constantOf(to as Plain, 0), emitter);
  if (to === "bool") return compared("ne", from, x, constantOf(from, 0), emitter);
  const [source, target] = [numberType[from], numberType[to]];
  if (isFloating(from) && isFloating(to)) {
    return compute(`cvt${to === "f32" ? ".rn" : ""}.${target}.${source}`, to, [inRegister(x, emitter)], false);
  }
  if (isFloating(to)) return compute(`cvt.rn.${target}.${source}`, to, [inRegister(x, emitter)], false);
  if (isFloating(from)) return saturated(from, to, x, emitter);
  if (from === "i64") return narrowed(to, compute("cvt.u32.u64", "b32", [inRegister(x, emitter)], true), emitter);
  if (to === "i64") return compute("cvt.s64.s32", "b64", [inRegister(x, emitter)], true);
  return narrowed(to, x, emitter);
}

/** Float → integer: the machine's conversion saturates, and gives 0 for NaN where neither type has 64 bits. */
function saturated(from: "f32" | "f64", to: Plain, x: Value, emitter: Emitter): Value {
  const { compute } = emitter;
  const kind: RegisterKind = to === "i64" ? "b64" : "b32";
  const source = inRegister(x, emitter);
  const converted = compute(`cvt.rzi.${numberType[to]}.${from}`, kind, [source], false);
  const isNumber = (): Value => compute(`setp.num.${from}`, "pred", [source, source], false);
  const hasNan = from === "f32" && to !== "i64";
  const whole = hasNan ? converted : chosen(isNumber(), converted, constant(kind, 0), emitter);
  if (!isNarrow(to)) return whole;
  const [lowest, highest] = integerRange[to];
  return least("max", "i32", int(lowest), least("min", "i32", int(highest), whole, emitter), emitter);
}
