// A vector expression → code that pushes some of its lanes. A vector of any number of lanes is a row of v128 parts, the
// last one perhaps not full; `vector` makes lanes first … first + count of it, in the low lanes of one v128, and leaves
// anything in the others. The bool vectors are in mask.ts: their lanes are as wide as the one who asks wants them.

import { lanesOf } from "../../ir/lanes.ts";
import type { Broadcast, Expr, Lanes, Ramp, Select } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { constBytes, splatBytes } from "./const-bits.ts";
import { bindingOf, type Context } from "./context.ts";
import { type Code, get, ifElse, plain, set, shuffle, v128 } from "./instruction.ts";
import { interleave } from "./interleave.ts";
import { intrinsicCall } from "./intrinsic-call.ts";
import { lanesFromScalars } from "./lane-by-lane.ts";
import { bindingPart, type LaneRange } from "./lane-range.ts";
import { mask, scalar, vector } from "./operand.ts";
import { pick } from "./pick.ts";
import { laneBytesOf, vectorShape } from "./value-type.ts";
import { vectorBinary, vectorUnary } from "./vector-arithmetic.ts";
import { vectorCast } from "./vector-cast.ts";
import { loadLanes, loadRepeated, loadSplat, loadVector } from "./vector-load.ts";

/** Writes any vector; those who write one kind of expression call it as `vector` of operand.ts. */
export function vectorCode(context: Context, expr: Expr, range: LaneRange): Code {
  invariant(expr.dtype !== "bool", "a bool vector is a mask");
  switch (expr.kind) {
    case "local":
      return bindingPart(bindingOf(context, expr.name), range);
    case "load":
      return loadVector(context, expr, range);
    case "unary":
      return vectorUnary(context, expr, range);
    case "binary":
      return vectorBinary(context, expr, range);
    case "select":
      return select(context, expr, range);
    case "cast":
      return vectorCast(context, expr, range);
    case "bitcast":
      return vector(context, expr.operand, range);
    case "ramp":
      return ramp(context, expr, range);
    case "broadcast":
      return broadcast(context, expr);
    case "lanes":
      return assemble(context, expr, range);
    case "interleave":
      return interleave(context, expr, range);
    case "pick":
      return pick(context, expr, range);
    case "intrinsic":
      return intrinsicCall(context, expr, range);
    case "const":
    case "var":
    case "shuffle":
    case "fold":
      invariant(false, `a ${expr.kind} where a vector is wanted`);
  }
}

/** The lanes of `then` where the condition holds. A scalar condition evaluates one side only. */
function select(context: Context, expr: Select, range: LaneRange): Code {
  const [then, otherwise] = [vector(context, expr.then, range), vector(context, expr.else, range)];
  if (lanesOf(expr.condition) === 1) {
    return [...scalar(context, expr.condition), ...ifElse("v128", then, otherwise)];
  }
  const condition = mask(context, expr.condition, range, laneBytesOf(expr.dtype));
  return [...then, ...otherwise, ...condition, plain("v128.bitselect")];
}

function ramp(context: Context, { base, stride }: Ramp, { first }: LaneRange): Code {
  const steps = [0, 1, 2, 3].flatMap((index) => constBytes("i32", Math.imul(stride, first + index)));
  return [...scalar(context, base), plain("i32x4.splat"), v128(steps), plain("i32x4.add")];
}

export function broadcast(context: Context, expr: Broadcast): Code {
  const splat = context.splats.get(expr);
  return splat === undefined ? splatCode(context, expr) : [get(splat)];
}

/** All lanes of one v128 with the value; a load and its broadcast are one instruction. */
export function splatCode(context: Context, { value, dtype }: Broadcast): Code {
  if (value.kind === "const") {
    return [v128(splatBytes(dtype, value.value))];
  }
  if (lanesOf(value) > 1) return repeat(context, value);
  if (value.kind === "load" && !value.active) return loadSplat(context, value);
  return [...scalar(context, value), plain(`${vectorShape[dtype]}.splat`)];
}

/** A run of 2, 4, 8 or 16 bytes again and again. */
function repeat(context: Context, value: Expr): Code {
  const count = lanesOf(value);
  const bytes = count * laneBytesOf(value.dtype);
  invariant([2, 4, 8, 16].includes(bytes), `a vector of ${bytes} bytes is repeated`);
  if (value.kind === "load" && !value.active && bytes < 16) return loadRepeated(context, value, bytes);
  const once = vector(context, value, { first: 0, count });
  if (bytes === 16) return once;
  const places = Array.from({ length: 16 }, (_, place) => place % bytes);
  return context.locals.with("v128", (x) => [...once, set(x), get(x), get(x), shuffle(places)]);
}

/** Puts scalars side by side. */
function assemble(context: Context, { elements, dtype }: Lanes, { first, count }: LaneRange): Code {
  const wanted = elements.slice(first, first + count);
  const constants = wanted.flatMap((element) => (element.kind === "const" ? constBytes(dtype, element.value) : []));
  if (constants.length === count * laneBytesOf(dtype)) return [v128(padded(constants))];
  const loads = wanted.flatMap((element) => (element.kind === "load" && !element.active ? [element] : []));
  if (loads.length === count) return loadLanes(context, loads);
  return lanesFromScalars(
    wanted.map((element) => scalar(context, element)),
    vectorShape[dtype],
  );
}

const padded = (bytes: readonly number[]): number[] => [...bytes, ...new Array<number>(16 - bytes.length).fill(0)];
