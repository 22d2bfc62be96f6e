// Locals: a scalar is one C variable, a vector one variable a piece.

import type { IrType, Local } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context, Value } from "./context.ts";
import { type Element, type Piece, piecesOf, storedElement } from "./element.ts";

/** The element of a variable: masks of vectors of bool are kept 32 bits wide, a one-lane piece is 0 or 1. */
export const localElement = (dtype: IrType, lanes: number): Element =>
  dtype === "bool" && lanes > 1 ? "i32" : storedElement[dtype];

/** The variable that holds the lanes `piece` of a local of `lanes` lanes. */
export function localName(context: Context, name: string, lanes: number, piece: Piece): string {
  const pieces = piecesOf(lanes, context.pieceLanes);
  const at = pieces.findIndex(({ start }) => start === piece.start);
  invariant(at >= 0, `local ${name} has no piece at lane ${piece.start}`);
  return context.names.of("local", pieces.length === 1 ? name : `${name}#${at}`);
}

/** Reading a local. */
export function localPiece(context: Context, { name, dtype, lanes }: Local, piece: Piece): Value {
  return { text: localName(context, name, lanes, piece), element: localElement(dtype, piece.lanes) };
}
