// Scalar conversions: code that turns the value on the stack from one type into another.

import type { IrType } from "../../ir/loop-ir.ts";
import type { Context } from "./context.ts";
import { type Code, i32, lane, plain } from "./instruction.ts";
import { callRunTime } from "./run-time-functions.ts";
import { named, wrap } from "./scalar-arithmetic.ts";
import { isFloatType, isHalf, scalarType } from "./value-type.ts";

export function castCode(context: Context, from: IrType, to: IrType): Code {
  if (from === to) return [];
  if (isHalf(from)) return [...widen(context, from), ...castCode(context, "f32", to)];
  if (isHalf(to)) return [...castCode(context, from, "f32"), ...narrow(context, to)];
  if (to === "bool") return notZero(from);
  if (isFloatType(from)) return isFloatType(to) ? [floatToFloat(to)] : floatToInteger(context, from, to);
  const [source, target] = [scalarType[from], scalarType[to]];
  // The conversion goes through f64, as in the interpreters.
  if (source === "i64" && to === "f32") return [plain("f64.convert_i64_s"), plain("f32.demote_f64")];
  if (isFloatType(to)) return [named(`${target}.convert_${source}_s`)];
  if (target === "i64") return [plain("i64.extend_i32_s")];
  return [...(source === "i64" ? [plain("i32.wrap_i64")] : []), ...wrap(to)];
}

const floatToFloat = (to: "f32" | "f64") => plain(to === "f64" ? "f64.promote_f32" : "f32.demote_f64");

function notZero(from: IrType): Code {
  const type = scalarType[from];
  return [{ kind: "number", type, value: 0 }, named(`${type}.ne`)];
}

/** The least and the greatest value of the integers that are narrower than i32. */
const limits: Readonly<Partial<Record<IrType, readonly [number, number]>>> = {
  i16: [-32768, 32767],
  i8: [-128, 127],
  u8: [0, 255],
};

/** Converts a float to an integer: truncates and saturates; NaN gives 0. */
function floatToInteger(context: Context, from: "f32" | "f64", to: IrType): Code {
  const truncate = named(`${scalarType[to]}.trunc_sat_${from}_s`);
  const limit = limits[to];
  return limit ? [truncate, i32(limit[0]), i32(limit[1]), ...callRunTime(context.runTime, "clamp")] : [truncate];
}

/** The bits of a half on the stack → f32: one lane of the vector routine, which is all that a module needs to carry. */
function widen(context: Context, from: "f16" | "bf16"): Code {
  if (from === "bf16") return [i32(16), plain("i32.shl"), plain("f32.reinterpret_i32")];
  return [plain("i32x4.splat"), ...callRunTime(context.runTime, "widenF16"), lane("f32x4.extract_lane", 0)];
}

function narrow(context: Context, to: "f16" | "bf16"): Code {
  const narrow = to === "f16" ? "narrowF16" : "narrowBf16";
  return [plain("f32x4.splat"), ...callRunTime(context.runTime, narrow), lane("i32x4.extract_lane", 0)];
}
