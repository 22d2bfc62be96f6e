// Vector conversions. Types of different widths meet by widening the low lanes or by joining several vectors; what has
// no direct way goes through i32 or f32.

import type { Cast, IrType } from "../../ir/loop-ir.ts";
import { splatBytes } from "./const-bits.ts";
import type { Context } from "./context.ts";
import { type Code, get, i32, lane, plain, set, shuffle, v128, zeroVector } from "./instruction.ts";
import { extractLane } from "./lane-by-lane.ts";
import type { LaneRange } from "./lane-range.ts";
import { mask, vector } from "./operand.ts";
import { type LaneSource, narrowLanes, widenLanes } from "./resize.ts";
import { callRunTime } from "./run-time-functions.ts";
import { castCode } from "./scalar-cast.ts";
import { isFloatType, isHalf, laneBytesOf, vectorShape } from "./value-type.ts";
import { lowerHalves } from "./vector-arithmetic.ts";

export function vectorCast(context: Context, { operand, dtype }: Cast, range: LaneRange): Code {
  if (operand.dtype === "bool") {
    return [...mask(context, operand, range, laneBytesOf(dtype)), v128(splatBytes(dtype, 1)), plain("v128.and")];
  }
  return convert(context, operand.dtype, dtype, (part) => vector(context, operand, part), range);
}

/** Lanes of type `to`, from a source of lanes of type `from`. */
function convert(context: Context, from: IrType, to: IrType, source: LaneSource, range: LaneRange): Code {
  const via = (middle: IrType) =>
    convert(context, middle, to, (part) => convert(context, from, middle, source, part), range);
  if (from === to) return source(range);
  if (isHalf(from)) return to === "f32" ? widenHalf(context, from, source, range) : via("f32");
  if (isHalf(to)) return from === "f32" ? narrowHalf(context, to, source, range) : via("f32");
  if ((from === "i64" && isFloatType(to)) || (isFloatType(from) && to === "i64")) {
    return laneByLane(context, from, to, source, range);
  }
  if (isFloatType(to)) return isFloatType(from) ? floatToFloat(to, source, range) : toFloat(from, to, source, range);
  if (isFloatType(from)) return floatToInteger(from, to, source, range);
  return resizeInteger(from, to, source, range);
}

const signOf = (dtype: IrType) => (dtype === "u8" ? "u" : "s");

function resizeInteger(from: IrType, to: IrType, source: LaneSource, range: LaneRange): Code {
  const [have, want] = [laneBytesOf(from), laneBytesOf(to)];
  if (have > want) return narrowLanes(have, want, "wrap", source, range);
  return widenLanes(have, want, signOf(from), source, range);
}

function toFloat(from: IrType, to: "f32" | "f64", source: LaneSource, range: LaneRange): Code {
  const integers = widenLanes(laneBytesOf(from), 4, signOf(from), source, range);
  return [...integers, plain(to === "f32" ? "f32x4.convert_i32x4_s" : "f64x2.convert_low_i32x4_s")];
}

function floatToInteger(from: "f32" | "f64", to: IrType, source: LaneSource, range: LaneRange): Code {
  const toI32: LaneSource = (part) =>
    from === "f32"
      ? [...source(part), plain("i32x4.trunc_sat_f32x4_s")]
      : pairs("i32x4.trunc_sat_f64x2_s_zero", source, part);
  return narrowLanes(4, laneBytesOf(to), to === "u8" ? "unsigned" : "signed", toI32, range);
}

function floatToFloat(to: "f32" | "f64", source: LaneSource, range: LaneRange): Code {
  if (to === "f64") return [...source(range), plain("f64x2.promote_low_f32x4")];
  return pairs("f32x4.demote_f64x2_zero", source, range);
}

/** Two lanes of f64 at a time → up to four lanes of four bytes. */
function pairs(
  op: "i32x4.trunc_sat_f64x2_s_zero" | "f32x4.demote_f64x2_zero",
  source: LaneSource,
  { first, count }: LaneRange,
): Code {
  const low = [...source({ first, count: Math.min(count, 2) }), plain(op)];
  if (count <= 2) return low;
  const high = [...source({ first: first + 2, count: count - 2 }), plain(op)];
  return [...low, ...high, shuffle(lowerHalves)];
}

function widenHalf(context: Context, from: "f16" | "bf16", source: LaneSource, range: LaneRange): Code {
  const bits = widenLanes(2, 4, "u", source, range);
  if (from === "bf16") return [...bits, i32(16), plain("i32x4.shl")];
  return [...bits, ...callRunTime(context.runTime, "widenF16")];
}

function narrowHalf(context: Context, to: "f16" | "bf16", source: LaneSource, range: LaneRange): Code {
  const narrow = to === "f16" ? "narrowF16" : "narrowBf16";
  const bits: LaneSource = (part) => [...source(part), ...callRunTime(context.runTime, narrow)];
  return narrowLanes(4, 2, "wrap", bits, range);
}

/** Converts i64 ↔ float lane by lane, as there is no vector instruction. */
function laneByLane(context: Context, from: IrType, to: IrType, source: LaneSource, range: LaneRange): Code {
  const shape = vectorShape[to] === "f32x4" ? "f32x4" : vectorShape[to] === "f64x2" ? "f64x2" : "i64x2";
  const perSource = 16 / laneBytesOf(from);
  const chunk = { first: range.first, count: Math.min(range.count, perSource) };
  const convertChunk = (part: LaneRange, at: number): Code =>
    context.locals.with("v128", (value) =>
      context.locals.with("v128", (result) => [
        ...[set(result), ...source(part), set(value), get(result)],
        ...Array.from({ length: part.count }, (_, index) => [
          ...[get(value), extractLane(from, index), ...castCode(context, from, to)],
          lane(`${shape}.replace_lane`, at + index),
        ]).flat(),
      ]),
    );
  const rest = { first: range.first + perSource, count: range.count - perSource };
  return [zeroVector, ...convertChunk(chunk, 0), ...(rest.count > 0 ? convertChunk(rest, perSource) : [])];
}
