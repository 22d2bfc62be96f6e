// An operand of an expression → C text. The call goes through the context: a file about one kind of expression needs no import of the
// file that knows all kinds, which imports it.

import type { Expr } from "../../ir/loop-ir.ts";
import type { Context, Value } from "./context.ts";
import { type Piece, scalarPiece } from "./element.ts";

/** The lanes `piece` of a value. A piece of one lane of a vector is a scalar. */
export const emit = (context: Context, expr: Expr, piece: Piece): Value => context.emit(context, expr, piece);

/** The text of a scalar expression. */
export const emitScalar = (context: Context, expr: Expr): string => emit(context, expr, scalarPiece).text;
