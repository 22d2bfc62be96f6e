// Vector operators: one instruction where SIMD128 has it, a few where it does not, and lane by lane as the last resort.

import type { Binary, Expr, IrBinaryOp, IrType, Unary } from "../../ir/loop-ir.ts";
import { flatMap } from "../../support/flat-map.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context } from "./context.ts";
import { type Code, get, plain, set, shuffle, v128 } from "./instruction.ts";
import { laneByLane, splatConst } from "./lane-by-lane.ts";
import type { LaneRange } from "./lane-range.ts";
import { isOpName } from "./opcodes.ts";
import { scalar, vector } from "./operand.ts";
import { floatUnary, named } from "./scalar-arithmetic.ts";
import { isFloatType, isHalf, vectorShape } from "./value-type.ts";
import { vectorDivision } from "./vector-division.ts";

export function vectorUnary(context: Context, { op, dtype, operand }: Unary, range: LaneRange): Code {
  const value = vector(context, operand, range);
  const shape = vectorShape[dtype];
  if (isFloatType(dtype)) {
    if (op === "rsqrt") return dtype === "f64" ? reciprocalRoot(value) : reciprocalRootF32(context, value);
    const name = floatUnary[op];
    invariant(name, `${op} should have been expanded before code is generated`);
    return [...value, named(`${shape}.${name}`)];
  }
  invariant((op === "neg" || op === "abs") && !isHalf(dtype), `no ${op} of ${dtype}`);
  return op === "abs" && dtype === "u8" ? value : [...value, named(`${shape}.${op}`)];
}

const reciprocalRoot = (value: Code): Code => [splatConst("f64", 1), ...value, plain("f64x2.sqrt"), plain("f64x2.div")];

/** 1 / √x in f64, rounded once to f32, two lanes at a time. */
function reciprocalRootF32(context: Context, value: Code): Code {
  const half = (lanes: Code): Code => [
    ...reciprocalRoot([...lanes, plain("f64x2.promote_low_f32x4")]),
    plain("f32x4.demote_f64x2_zero"),
  ];
  return context.locals.with("v128", (x) => [
    ...[...value, set(x), ...half([get(x)]), ...half([get(x), get(x), shuffle(upperHalf)])],
    shuffle(lowerHalves),
  ]);
}

/** Bytes 8 … 15 of a vector, in its low half. */
const upperHalf = Array.from({ length: 16 }, (_, index) => (index + 8) % 16);
/** The low half of each of two vectors. */
export const lowerHalves = Array.from({ length: 16 }, (_, index) => (index < 8 ? index : index + 8));

export function vectorBinary(context: Context, expr: Binary, range: LaneRange): Code {
  const { op, dtype, left, right } = expr;
  invariant(!isHalf(dtype), `${op} of ${dtype}, which is for storage only`);
  const fused = context.relaxed && isFloatType(dtype) ? fusedOperands(expr) : null;
  if (fused) {
    const operands = flatMap(fused.operands, (operand) => vector(context, operand, range));
    return [...operands, named(`${vectorShape[dtype]}.${fused.op}`)];
  }
  if (op === "shl" || op === "shr") return shift(context, expr, range);
  if (op === "floorDiv" || op === "mod") return vectorDivision(context, op, expr, range);
  return onVectors(context, op, dtype, vector(context, left, range), vector(context, right, range));
}

/** The operator, which is no shift and no division, on all lanes of two v128. */
export function onVectors(context: Context, op: IrBinaryOp, dtype: IrType, a: Code, b: Code): Code {
  const native = nativeName(op, dtype);
  if (isOpName(native)) return [...a, ...b, plain(native)];
  if (op === "mul") return multiplyBytes(context, a, b);
  invariant(op === "min" || op === "max", `no ${op} of ${dtype} vectors`);
  return minMax64(context, op, a, b);
}

/** a·b + c and c − a·b, which relaxed SIMD may round once. */
function fusedOperands({ op, left, right }: Binary): { op: string; operands: readonly Expr[] } | null {
  const isProduct = (expr: Expr): expr is Binary => expr.kind === "binary" && expr.op === "mul";
  if (op === "add" && isProduct(right)) return { op: "relaxed_madd", operands: [right.left, right.right, left] };
  if (op === "add" && isProduct(left)) return { op: "relaxed_madd", operands: [left.left, left.right, right] };
  if (op === "sub" && isProduct(right)) return { op: "relaxed_nmadd", operands: [right.left, right.right, left] };
  return null;
}

const bitOps: Readonly<Partial<Record<IrBinaryOp, string>>> = { bitAnd: "and", bitOr: "or", bitXor: "xor" };

/** The instruction of an operator, if there is one; else a name that no instruction has. */
function nativeName(op: IrBinaryOp, dtype: IrType): string {
  const bits = bitOps[op];
  if (bits) return `v128.${bits}`;
  const isOrdered = op === "min" || op === "max";
  if (isFloatType(dtype)) return `${vectorShape[dtype]}.${isOrdered ? "p" : ""}${op}`;
  return `${vectorShape[dtype]}.${op}${isOrdered ? signSuffix(dtype) : ""}`;
}

const signSuffix = (dtype: IrType) => (dtype === "u8" ? "_u" : "_s");

/** The instruction that compares lanes of a type. */
export function comparisonName(op: IrBinaryOp, dtype: IrType): string {
  const suffix = isFloatType(dtype) || op === "eq" || op === "ne" ? "" : signSuffix(dtype);
  return `${vectorShape[dtype]}.${op}${suffix}`;
}

/** Multiplies bytes: there is no i8x16.mul, so it takes the low bytes of the 16-bit products. */
function multiplyBytes(context: Context, a: Code, b: Code): Code {
  const { locals } = context;
  const lowByte = v128(Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? 0xff : 0)));
  return locals.with("v128", (x) =>
    locals.with("v128", (y) => {
      const half = (which: "low" | "high"): Code => [
        ...[get(x), get(y), plain(`i16x8.extmul_${which}_i8x16_s`), lowByte, plain("v128.and")],
      ];
      return [...a, ...b, set(y), set(x), ...half("low"), ...half("high"), plain("i8x16.narrow_i16x8_u")];
    }),
  );
}

/** Least or greatest of i64 lanes, which has no instruction: b < a ? b : a and a < b ? b : a. */
function minMax64(context: Context, op: "min" | "max", a: Code, b: Code): Code {
  const { locals } = context;
  return locals.with("v128", (x) =>
    locals.with("v128", (y) => [
      ...[...a, ...b, set(y), set(x), get(y), get(x), get(y), get(x)],
      ...[plain(op === "min" ? "i64x2.lt_s" : "i64x2.gt_s"), plain("v128.bitselect")],
    ]),
  );
}

/** Shifts lanes. WASM shifts all of them by one count; other counts go lane by lane. */
function shift(context: Context, expr: Binary, range: LaneRange): Code {
  const { op, dtype, left, right } = expr;
  if (right.kind !== "broadcast") return laneByLane(context, expr, range);
  const count = scalar(context, right.value);
  const shape = vectorShape[dtype];
  const narrow: Code = right.dtype === "i64" ? [plain("i32.wrap_i64")] : [];
  return [...vector(context, left, range), ...count, ...narrow, named(`${shape}.${op === "shl" ? "shl" : "shr_s"}`)];
}
