// A bool vector → code that pushes a mask: all bits of a lane set or clear. The lanes are as wide as the consumer wants,
// so that a comparison of f32 meets a selection of f32 without conversion.

import { lanesOf } from "../../ir/lanes.ts";
import type { Binary, Expr } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { splatBytes } from "./const-bits.ts";
import { bindingOf, type Context } from "./context.ts";
import { type Code, i32, ifElse, plain, v128, zeroVector } from "./instruction.ts";
import { lanesFromScalars } from "./lane-by-lane.ts";
import { bindingPart, type LaneRange, type ValuePlace } from "./lane-range.ts";
import { mask, scalar, vector } from "./operand.ts";
import { type LaneSource, narrowLanes, widenLanes } from "./resize.ts";
import { named } from "./scalar-arithmetic.ts";
import { isHalf, laneBytesOf, vectorShape } from "./value-type.ts";
import { comparisonName } from "./vector-arithmetic.ts";
import { loadVector } from "./vector-load.ts";

/** Writes any bool vector; those who write one kind of expression call it as `mask` of operand.ts. */
export function maskCode(context: Context, expr: Expr, range: LaneRange, laneBytes: number): Code {
  const resized = (have: number, source: LaneSource) =>
    have < laneBytes
      ? widenLanes(have, laneBytes, "s", source, range)
      : narrowLanes(have, laneBytes, "signed", source, range);
  switch (expr.kind) {
    case "local": {
      const binding: ValuePlace = bindingOf(context, expr.name);
      return resized(binding.laneBytes, (part) => bindingPart(binding, part));
    }
    case "load":
      return resized(1, (part) => [...loadVector(context, expr, part), zeroVector, plain("i8x16.ne")]);
    case "unary":
      return [...mask(context, expr.operand, range, laneBytes), plain("v128.not")];
    case "binary":
      if (expr.left.dtype === "bool") return logic(context, expr, range, laneBytes);
      return resized(laneBytesOf(expr.left.dtype), (part) => comparison(context, expr, part));
    case "cast":
      if (expr.operand.dtype === "bool") return mask(context, expr.operand, range, laneBytes);
      return resized(laneBytesOf(expr.operand.dtype), (part) => notZero(context, expr.operand, part));
    case "select":
      return select(context, expr, range, laneBytes);
    case "broadcast":
      return splat(scalar(context, expr.value), laneBytes);
    case "lanes": {
      const { first, count } = range;
      const elements = expr.elements
        .slice(first, first + count)
        .map((each) => allBits(scalar(context, each), laneBytes));
      return lanesFromScalars(elements, maskShapes[laneBytes] ?? "i32x4");
    }
    case "const":
    case "var":
    case "ramp":
    case "bitcast":
    case "shuffle":
    case "interleave":
    case "pick":
    case "fold":
    case "intrinsic":
      invariant(false, `a ${expr.kind} where a bool vector is wanted`);
  }
}

const maskShapes: Readonly<Record<number, "i8x16" | "i16x8" | "i32x4" | "i64x2">> = {
  1: "i8x16",
  2: "i16x8",
  4: "i32x4",
  8: "i64x2",
};

/** The width at which a mask costs nothing: that of the comparison it comes from. */
export function naturalLaneBytes(expr: Expr): number {
  if (expr.dtype !== "bool") return laneBytesOf(expr.dtype);
  if (expr.kind === "binary") return naturalLaneBytes(expr.left);
  if (expr.kind === "unary" || expr.kind === "cast") return naturalLaneBytes(expr.operand);
  if (expr.kind === "select") return naturalLaneBytes(expr.then);
  return expr.kind === "load" ? 1 : 4;
}

/** 0 or 1 → no or all bits, of the type that a lane of the mask is replaced from. */
function allBits(value: Code, laneBytes: number): Code {
  const negated: Code = [i32(0), ...value, plain("i32.sub")];
  return laneBytes === 8 ? [...negated, plain("i64.extend_i32_s")] : negated;
}

const splat = (value: Code, laneBytes: number): Code => [
  ...allBits(value, laneBytes),
  named(`${maskShapes[laneBytes]}.splat`),
];

/** A binary operator of bools; false is less than true. */
function logic(context: Context, { op, left, right }: Binary, range: LaneRange, laneBytes: number): Code {
  const [a, b] = [mask(context, left, range, laneBytes), mask(context, right, range, laneBytes)];
  switch (op) {
    case "and":
    case "min":
    case "bitAnd":
      return [...a, ...b, plain("v128.and")];
    case "or":
    case "max":
    case "bitOr":
      return [...a, ...b, plain("v128.or")];
    case "ne":
    case "bitXor":
      return [...a, ...b, plain("v128.xor")];
    case "eq":
      return [...a, ...b, plain("v128.xor"), plain("v128.not")];
    case "lt":
      return [...b, ...a, plain("v128.andnot")];
    case "gt":
      return [...a, ...b, plain("v128.andnot")];
    case "le":
      return [...b, ...a, plain("v128.not"), plain("v128.or")];
    case "ge":
      return [...a, ...b, plain("v128.not"), plain("v128.or")];
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "floorDiv":
    case "mod":
    case "pow":
    case "shl":
    case "shr":
      invariant(false, `${op} of bool`);
  }
}

function comparison(context: Context, { op, left, right }: Binary, range: LaneRange): Code {
  return [...vector(context, left, range), ...vector(context, right, range), named(comparisonName(op, left.dtype))];
}

function notZero(context: Context, operand: Expr, range: LaneRange): Code {
  const { dtype } = operand;
  // The sign of a half's zero does not count.
  const size: Code = isHalf(dtype) ? [v128(splatBytes("i16", 0x7fff)), plain("v128.and")] : [];
  return [...vector(context, operand, range), ...size, zeroVector, named(`${vectorShape[dtype]}.ne`)];
}

function select(context: Context, expr: Extract<Expr, { kind: "select" }>, range: LaneRange, laneBytes: number): Code {
  const sides = [mask(context, expr.then, range, laneBytes), mask(context, expr.else, range, laneBytes)] as const;
  if (lanesOf(expr.condition) === 1) return [...scalar(context, expr.condition), ...ifElse("v128", ...sides)];
  return [...sides[0], ...sides[1], ...mask(context, expr.condition, range, laneBytes), plain("v128.bitselect")];
}
