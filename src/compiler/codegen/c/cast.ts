// Conversions between types → C text.

import type { Cast, IrType } from "../../ir/loop-ir.ts";
import { floatToInteger } from "./cast-function.ts";
import type { Context, Value } from "./context.ts";
import { cName, type Element, elementBytes, type Piece, storedElement } from "./element.ts";
import { emit } from "./expression.ts";
import { narrowHalf, widenHalf } from "./half-function.ts";
import { bitsToMask, maskToBits } from "./mask.ts";

const isHalf = (dtype: IrType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";
const isFloat = (element: Element): boolean => element === "f32" || element === "f64";

export function emitCast(context: Context, { dtype, operand }: Cast, piece: Piece): Value {
  const value = emit(context, operand, piece);
  return operand.dtype === dtype ? value : convert(context, value, operand.dtype, dtype, piece.lanes);
}

/** As the interpreters do: 16-bit floats go through f32, i64 to f32 through f64, vectors of bool through 0 and 1. */
function convert(context: Context, value: Value, from: IrType, to: IrType, lanes: number): Value {
  const { prelude } = context;
  if (isHalf(from)) {
    const wide: Value = { text: `${widenHalf(prelude, from, lanes)}(${value.text})`, element: "f32" };
    return to === "f32" ? wide : convert(context, wide, "f32", to, lanes);
  }
  if (isHalf(to)) {
    const wide = from === "f32" ? value : convert(context, value, from, "f32", lanes);
    return { text: `${narrowHalf(prelude, to, lanes, context.numerics)}(${wide.text})`, element: "u16" };
  }
  if (from === "bool" && lanes > 1) return convert(context, maskToBits(context, value, lanes), "u8", to, lanes);
  if (to === "bool") return toBool(context, value, lanes);
  if (from === "i64" && to === "f32")
    return convert(context, convert(context, value, from, "f64", lanes), "f64", to, lanes);
  const element = storedElement[to];
  if (isFloat(value.element) && !isFloat(element)) {
    return { text: `${floatToInteger(prelude, value.element, element, lanes)}(${value.text})`, element };
  }
  return lanes === 1
    ? { text: `(${cName[element]})${value.text}`, element }
    : vectorConvert(context, value, element, lanes);
}

const toBool = (context: Context, value: Value, lanes: number): Value =>
  lanes === 1 ? { text: `(${value.text} != 0)`, element: "u8" } : bitsToMask(context, value, lanes);

/** Bytes and words become floats by way of i32, for which there are instructions. */
function vectorConvert({ prelude }: Context, value: Value, element: Element, lanes: number): Value {
  const throughInt = isFloat(element) && elementBytes[value.element] < 4;
  const source = throughInt ? `__builtin_convertvector(${value.text}, ${prelude.type("i32", lanes)})` : value.text;
  return { text: `__builtin_convertvector(${source}, ${prelude.type(element, lanes)})`, element };
}
