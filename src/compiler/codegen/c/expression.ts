// Expressions → C text, one piece of lanes at a time. Scalars are pieces of one lane.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, IrType } from "../../ir/loop-ir.ts";
import { InvariantError } from "../../support/invariant.ts";
import { emitLoad } from "./access.ts";
import { emitBinary } from "./binary.ts";
import { emitCast } from "./cast.ts";
import { constantText } from "./constant.ts";
import type { Context, Value } from "./context.ts";
import { cName, type Element, elementBytes, type Piece, scalarPiece, storedElement } from "./element.ts";
import { emitFold } from "./fold.ts";
import { bitcast } from "./half-function.ts";
import { emitInterleave } from "./interleave.ts";
import { emitIntrinsicCall } from "./intrinsic-call.ts";
import { localPiece } from "./local.ts";
import { asMask, selectText } from "./mask.ts";
import { emit, emitScalar } from "./operand.ts";
import { emitPick } from "./pick.ts";
import { emitUnary } from "./unary.ts";
import { inline, splat } from "./vector-function.ts";

/** Writes the lanes `piece` of any expression; those who write one kind of expression call it as `emit` of operand.ts. */
export function emitExpression(context: Context, expr: Expr, piece: Piece): Value {
  switch (expr.kind) {
    case "const":
      return { text: constantText(context, expr.dtype, expr.value), element: storedElement[expr.dtype] };
    case "var":
      return { text: `(int)${context.names.of("loop", expr.name)}`, element: "i32" };
    case "local":
      return localPiece(context, expr, piece);
    case "load":
      return emitLoad(context, expr, piece);
    case "unary":
      return emitUnary(context, expr, piece);
    case "binary":
      return emitBinary(context, expr, piece);
    case "select":
      return emitSelect(context, expr, piece);
    case "cast":
      return emitCast(context, expr, piece);
    case "bitcast":
      return emitBitcast(context, expr.dtype, expr.operand, piece);
    case "shuffle":
      throw new InvariantError("a CPU has no threads that hand each other registers");
    case "ramp":
      return emitRamp(context, expr, piece);
    case "broadcast":
      return emitBroadcast(context, expr.dtype, expr.value, piece);
    case "lanes":
      return emitLanes(context, expr.dtype, expr.elements, piece);
    case "interleave":
      return emitInterleave(context, expr, piece);
    case "pick":
      return emitPick(context, expr, piece);
    case "fold":
      return emitFold(context, expr);
    case "intrinsic":
      return emitIntrinsicCall(context, expr, piece);
  }
}

function emitSelect(context: Context, expr: Extract<Expr, { kind: "select" }>, piece: Piece): Value {
  const yes = emit(context, expr.then, piece);
  const no = emit(context, expr.else, piece);
  if (lanesOf(expr.condition) > 1 && piece.lanes > 1) {
    return selectText(context, expr, emit(context, expr.condition, piece), yes, no, piece.lanes);
  }
  const condition = emit(context, expr.condition, lanesOf(expr.condition) > 1 ? piece : scalarPiece);
  if (piece.lanes === 1) return { text: `(${condition.text} ? ${yes.text} : ${no.text})`, element: yes.element };
  const other = expr.dtype === "bool" ? asMask(context, no, yes.element, piece.lanes) : no;
  // A load has the type of unaligned memory, which is not that of a value.
  const type = context.prelude.type(yes.element, piece.lanes);
  return { text: `(${condition.text} ? (${type})${yes.text} : (${type})${other.text})`, element: yes.element };
}

function emitBitcast(context: Context, dtype: IrType, operand: Expr, piece: Piece): Value {
  const value = emit(context, operand, piece);
  const element = storedElement[dtype];
  if (value.element === element) return value;
  const call = piece.lanes === 1 ? bitcast(context.prelude, value.element, element) : null;
  return {
    text: call ? `${call}(${value.text})` : `((${context.prelude.type(element, piece.lanes)})${value.text})`,
    element,
  };
}

function emitRamp(context: Context, expr: Extract<Expr, { kind: "ramp" }>, { start, lanes }: Piece): Value {
  const base = emitScalar(context, expr.base);
  if (lanes === 1) return { text: `(${base} + ${start * expr.stride})`, element: "i32" };
  const steps = Array.from({ length: lanes }, (_, lane) => (start + lane) * expr.stride).join(", ");
  const type = context.prelude.type("i32", lanes);
  return { text: `(${splat(context.prelude, "i32", lanes)}(${base}) + (${type}){${steps}})`, element: "i32" };
}

function emitBroadcast(context: Context, dtype: IrType, scalar: Expr, { start, lanes }: Piece): Value {
  if (lanesOf(scalar) > 1) return emitRepeat(context, scalar, { start, lanes });
  const value = emit(context, scalar, scalarPiece);
  if (lanes === 1) return value;
  if (dtype === "bool") return { text: `${splat(context.prelude, "i32", lanes)}(-(${value.text}))`, element: "i32" };
  return { text: `${splat(context.prelude, value.element, lanes)}(${value.text})`, element: value.element };
}

/** A run of lanes again and again: as one integer where there is one of its size, which is broadcast. */
function emitRepeat({ prelude, ...rest }: Context, run: Expr, { start, lanes }: Piece): Value {
  const count = lanesOf(run);
  const value = emit({ prelude, ...rest }, run, { start: 0, lanes: count });
  const { element } = value;
  const integer = integerOfSize[count * elementBytes[element]];
  const type = prelude.type(element, lanes);
  if (integer && start % count === 0 && lanes % count === 0) {
    const splatted =
      lanes === count ? value.text : `${splat(prelude, integer, lanes / count)}((${cName[integer]})${value.text})`;
    return { text: `((${type})${splatted})`, element };
  }
  const name = `uk_repeat_${element}x${count}_from_${start % count}_x${lanes}`;
  prelude.define(name, () => {
    const each = Array.from({ length: lanes }, (_, lane) => `a[${(start + lane) % count}]`).join(", ");
    const result = lanes === 1 ? each : `(${type}){${each}}`;
    return `${inline} ${type} ${name}(${prelude.type(element, count)} a) { return ${result}; }`;
  });
  return { text: `${name}(${value.text})`, element };
}

const integerOfSize: Readonly<Record<number, Element>> = { 2: "i16", 4: "i32", 8: "i64" };

function emitLanes(context: Context, dtype: IrType, elements: readonly Expr[], { start, lanes }: Piece): Value {
  const texts = elements.slice(start, start + lanes).map((element) => emitScalar(context, element));
  if (lanes === 1) return { text: texts[0]!, element: storedElement[dtype] };
  const element: Element = dtype === "bool" ? "i32" : storedElement[dtype];
  const signed = dtype === "bool" ? texts.map((text) => `-(${text})`) : texts;
  return { text: `(${context.prelude.type(element, lanes)}){${signed.join(", ")}}`, element };
}
