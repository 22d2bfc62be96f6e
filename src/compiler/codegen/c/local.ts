// Locals: a scalar is one C variable, a vector one variable a piece.

import type { IrType, Local } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context, Value } from "./context.ts";
import { type Element, type Piece, piecesOf, storedElement } from "./element.ts";

/** The element of a variable: masks of vectors of bool are kept 32 bits wide, a one-lane piece is 0 or 1. */
export const localElement = (dtype: IrType, lanes: number): Element =>
  dtype === "bool" && lanes > 1 ? "i32" : storedElement[dtype];

/** The variables of a local of `lanes` lanes. */
export function piecesOfLocal(
  { operandLocals, widestOfLocals, vectorBytes }: Context,
  name: string,
  lanes: number,
): readonly Piece[] {
  return piecesOf(lanes, operandLocals.get(name) ?? vectorBytes / (widestOfLocals.get(name) ?? 1));
}

/** The variable that holds the lanes `piece`, one of its pieces, of a local of `lanes` lanes. */
export function localName(context: Context, name: string, lanes: number, piece: Piece): string {
  const pieces = piecesOfLocal(context, name, lanes);
  const at = pieces.findIndex(({ start }) => start === piece.start);
  invariant(at >= 0, `local ${name} has no piece at lane ${piece.start}`);
  return context.names.of("local", pieces.length === 1 ? name : `${name}#${at}`);
}

/** Reading a local: a variable, or lanes of several where an operand of an intrinsic is cut otherwise. */
export function localPiece(context: Context, { name, dtype, lanes }: Local, piece: Piece): Value {
  const element = localElement(dtype, piece.lanes);
  const pieces = piecesOfLocal(context, name, lanes);
  const same = pieces.find((each) => each.start === piece.start && each.lanes === piece.lanes);
  if (same) return { text: localName(context, name, lanes, same), element };
  const texts = Array.from({ length: piece.lanes }, (_, lane) => {
    const at = piece.start + lane;
    const holder = pieces.find(({ start, lanes: count }) => start <= at && at < start + count)!;
    const variable = localName(context, name, lanes, holder);
    return holder.lanes === 1 ? variable : `${variable}[${at - holder.start}]`;
  });
  const text = piece.lanes === 1 ? texts[0]! : `(${context.prelude.type(element, piece.lanes)}){${texts.join(", ")}}`;
  return { text, element };
}
