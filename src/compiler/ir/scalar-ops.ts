// The meaning of the loop IR's operators on single values: those of the expression language, plus bit operations and
// i64 (a bigint). Each function gives, for an operator and a type, what to call on the values.

import type { BinaryOp, UnaryOp } from "../expr/scalar-expr.ts";
import { applyBinary, applyUnary, castValue } from "../expr/scalar-math.ts";
import { invariant } from "../support/invariant.ts";
import type { IrBinaryOp, IrType } from "./loop-ir.ts";

/** A bigint for i64, else a number; bool is 0 or 1. */
export type Scalar = number | bigint;

const wrap64 = (value: bigint): bigint => BigInt.asIntN(64, value);

export const constValue = (dtype: IrType, value: number): Scalar => (dtype === "i64" ? BigInt(value) : value);

export function unaryOn(op: UnaryOp, dtype: IrType): (x: Scalar) => Scalar {
  if (dtype !== "i64") return (x) => applyUnary(op, dtype, x as number);
  invariant(op === "neg" || op === "abs", `${op} is not for i64`);
  return (x) => wrap64(op === "neg" || x < 0 ? -(x as bigint) : (x as bigint));
}

/** `dtype` is the type of the operands. */
export function binaryOn(op: IrBinaryOp, dtype: IrType): (a: Scalar, b: Scalar) => Scalar {
  if (dtype === "i64") {
    const on64 = binary64[op];
    invariant(on64, `${op} is not for i64`);
    return (a, b) => on64(a as bigint, b as bigint);
  }
  if (!isBitOp(op)) return (a, b) => applyBinary(op, dtype, a as number, b as number);
  invariant(dtype === "i32", `${op} is for i32 and i64, not ${dtype}`);
  const on32 = bits32[op];
  return (a, b) => on32(a as number, b as number);
}

type BitOp = Exclude<IrBinaryOp, BinaryOp>;

const bits32: Readonly<Record<BitOp, (a: number, b: number) => number>> = {
  shl: (a, b) => a << b,
  shr: (a, b) => a >> b,
  bitAnd: (a, b) => a & b,
  bitOr: (a, b) => a | b,
  bitXor: (a, b) => a ^ b,
};

export const isBitOp = (op: IrBinaryOp): op is BitOp => Object.hasOwn(bits32, op);

const bool = (value: boolean): number => (value ? 1 : 0);

const binary64: Partial<Record<IrBinaryOp, (a: bigint, b: bigint) => Scalar>> = {
  add: (a, b) => wrap64(a + b),
  sub: (a, b) => wrap64(a - b),
  mul: (a, b) => wrap64(a * b),
  eq: (a, b) => bool(a === b),
  ne: (a, b) => bool(a !== b),
  lt: (a, b) => bool(a < b),
  le: (a, b) => bool(a <= b),
  gt: (a, b) => bool(a > b),
  ge: (a, b) => bool(a >= b),
  shl: (a, b) => wrap64(a << (b & 63n)),
  shr: (a, b) => a >> (b & 63n),
  bitAnd: (a, b) => a & b,
  bitOr: (a, b) => a | b,
  bitXor: (a, b) => a ^ b,
};

/** Conversion between types. i64 joins by way of i32 (wraps, widens) or f64 (rounds; truncates and saturates, NaN gives 0). */
export function castOn(from: IrType, to: IrType): (x: Scalar) => Scalar {
  if (from === "i64" && to === "i64") return (x) => x;
  if (from === "i64" && to !== "i64") return (x) => castFrom64(x as bigint, to);
  if (to === "i64") return (x) => castTo64(x as number);
  return (x) => castValue(x as number, from as Exclude<IrType, "i64">, to as Exclude<IrType, "i64">);
}

function castFrom64(x: bigint, to: Exclude<IrType, "i64">): number {
  const isWide = to === "f64" || to === "f32" || to === "f16" || to === "bf16";
  return isWide ? castValue(Number(x), "f64", to) : castValue(Number(BigInt.asIntN(32, x)), "i32", to);
}

function castTo64(x: number): bigint {
  if (Number.isNaN(x)) return 0n;
  if (Math.abs(x) < 2 ** 63) return BigInt(Math.trunc(x));
  return x < 0 ? -(2n ** 63n) : 2n ** 63n - 1n;
}

const f32 = new Float32Array(1);
const i32 = new Int32Array(f32.buffer);
const f64 = new Float64Array(1);
const i64 = new BigInt64Array(f64.buffer);

export function bitcastOn(from: IrType, to: IrType): (x: Scalar) => Scalar {
  switch (`${from}→${to}`) {
    case "f32→i32":
      return (x) => {
        f32[0] = x as number;
        return i32[0]!;
      };
    case "i32→f32":
      return (x) => {
        i32[0] = x as number;
        return f32[0]!;
      };
    case "f64→i64":
      return (x) => {
        f64[0] = x as number;
        return i64[0]!;
      };
    case "i64→f64":
      return (x) => {
        i64[0] = x as bigint;
        return f64[0]!;
      };
    default:
      invariant(false, `no bitcast from ${from} to ${to}`);
  }
}
