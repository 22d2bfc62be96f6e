// Conversions between types → C text.

import type { Cast, IrType } from "../../ir/loop-ir.ts";
import { floatToInteger } from "./cast-function.ts";
import type { Context, Value } from "./context.ts";
import { cName, type Element, elementBytes, type Piece, storedElement } from "./element.ts";
import { narrowHalf, widenHalf } from "./half-function.ts";
import { bitsToMask, maskToBits } from "./mask.ts";
import { emit } from "./operand.ts";
import { resizeLanes } from "./resize-lanes.ts";

const isHalf = (dtype: IrType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";
const isFloat = (element: Element): boolean => element === "f32" || element === "f64";

export function emitCast(context: Context, { dtype, operand }: Cast, piece: Piece): Value {
  const value = emit(context, operand, piece);
  return operand.dtype === dtype ? value : convert(context, value, operand.dtype, dtype, piece.lanes);
}

/** Converts as the interpreters do: 16-bit floats go through f32, i64 to f32 through f64, vectors of bool through 0 and 1. */
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
  if (from === "bool" && lanes > 1) return fromMask(context, value, to, lanes);
  if (to === "bool") return toBool(context, value, lanes);
  if (from === "i64" && to === "f32")
    return convert(context, convert(context, value, from, "f64", lanes), "f64", to, lanes);
  const element = storedElement[to];
  if (isFloat(value.element) && !isFloat(element)) {
    return { text: `${floatToInteger(prelude, value.element, element, lanes)}(${value.text})`, element };
  }
  return lanes === 1
    ? { text: `(${cName[element]})${value.text}`, element }
    : { text: vectorConvert(context, value, element, lanes), element };
}

const toBool = (context: Context, value: Value, lanes: number): Value =>
  lanes === 1 ? { text: `(${value.text} != 0)`, element: "u8" } : bitsToMask(context, value, lanes);

/** Converts a mask by way of 0 and 1, at the narrower of the two widths. */
function fromMask(context: Context, mask: Value, to: IrType, lanes: number): Value {
  const wanted = isFloat(storedElement[to]) ? "i32" : storedElement[to];
  const element = elementBytes[mask.element] < elementBytes[wanted] ? mask.element : wanted;
  const bits = maskToBits(context, mask, lanes, element);
  return { text: vectorConvert(context, bits, storedElement[to], lanes), element: storedElement[to] };
}

/** Floats are made of i32, for which there are instructions, and integers of each other. */
function vectorConvert({ prelude }: Context, { text, element: from }: Value, to: Element, lanes: number): string {
  if (!isFloat(to)) return resizeLanes(prelude, text, from, to, lanes);
  const source = isFloat(from) || elementBytes[from] >= 4 ? text : resizeLanes(prelude, text, from, "i32", lanes);
  return `__builtin_convertvector(${source}, ${prelude.type(to, lanes)})`;
}
