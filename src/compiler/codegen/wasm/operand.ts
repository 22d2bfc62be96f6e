// An operand of an expression → code that pushes it. The calls go through the context: a file about one kind of expression needs no
// import of the files that know all kinds, which import it.

import type { Expr } from "../../ir/loop-ir.ts";
import type { Context } from "./context.ts";
import type { Code } from "./instruction.ts";
import type { LaneRange } from "./lane-range.ts";

/** Pushes a scalar. */
export const scalar = (context: Context, expr: Expr): Code => context.emit.scalar(context, expr);

/** Pushes some lanes of a vector that is not of bools, in the low lanes of one v128. */
export const vector = (context: Context, expr: Expr, range: LaneRange): Code =>
  context.emit.vector(context, expr, range);

/** Pushes some lanes of a bool vector as a mask with lanes of so many bytes. */
export const mask = (context: Context, expr: Expr, range: LaneRange, laneBytes: number): Code =>
  context.emit.mask(context, expr, range, laneBytes);
