// Addresses of buffer elements, and i32 sums of loop variables. The variable part is a pointer that the loops keep
// (loop-pointer.ts), so that it costs a local.get; the constant part goes into the immediate of the access.
//
//   A[k*4 + 2] with A at 1024, f32   →   (pointer 16·k) load offset=1032

import type { Interval } from "../../affine/interval.ts";
import { byteSize } from "../../expr/dtype.ts";
import { type Affine, addAffine, addConstant, constantAffine, scaleAffine, toAffine } from "../../ir/affine.ts";
import { boundsOf, boundsOfAffine } from "../../ir/bounds.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { rangesOf } from "../../ir/ranges.ts";
import { someExpr } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";
import { type Context, loopScopeOf, slotVariable } from "./context.ts";
import { type Code, get, set } from "./instruction.ts";
import { pointerCode, sumCode } from "./loop-pointer.ts";
import type { PlacedBuffer } from "./memory-layout.ts";

export interface Address {
  /** Code that pushes an i32. */
  readonly base: Code;
  /** Bytes to add to it, in the instruction. */
  readonly offset: number;
}

/** The address of `buffer[index + ahead]`. */
export function addressOf(context: Context, buffer: string, index: Expr, ahead: number): Address {
  const placed = context.layout.buffers.get(buffer);
  invariant(placed, `no buffer ${buffer}`);
  const elements = addConstant(inSlot(context, placed, affineOf(context, index)), ahead);
  const bytes = addConstant(scaleAffine(elements, byteSize[placed.dtype]), placed.offset);
  const variable = { ...bytes, constant: 0 };
  // The immediate is added without wrapping: it may take the constant only where the rest cannot be negative.
  const isFoldable = bytes.constant >= 0 && boundsOfAffine(variable, rangesOf(context.loops)).min >= 0;
  return isFoldable
    ? { base: integerCode(context, variable), offset: bytes.constant }
    : { base: integerCode(context, bytes), offset: 0 };
}

/** Moves an index into the thread's own copy of a buffer, where each thread has one. */
function inSlot(context: Context, { slotLength }: PlacedBuffer, index: Affine): Affine {
  if (slotLength === 0) return index;
  return addAffine(index, affineOf(context, { kind: "var", dtype: "i32", name: slotVariable }), slotLength);
}

/** Runs `use` with an address that is cheap to push again. */
export function withAddress(context: Context, address: Address, use: (address: Address) => Code): Code {
  if (address.base.length === 1) return use(address);
  return context.locals.with("i32", (temporary) => [
    ...address.base,
    set(temporary),
    ...use({ base: [get(temporary)], offset: address.offset }),
  ]);
}

/** The linear form of an index; the variable of a loop that runs once is 0. */
export const affineOf = (context: Context, expr: Expr): Affine =>
  toAffine(expr, (atom) =>
    atom.kind === "var" && loopScopeOf(context, atom.name).extent === 1 ? constantAffine(0) : null,
  );

/** The range of an i32 expression, from the extents of the loops around it. */
export const intervalOf = (context: Context, expr: Expr): Interval => boundsOf(expr, rangesOf(context.loops));

/** Pushes a linear form: what depends on loops only as a pointer, the other terms computed on the spot. */
export function integerCode(context: Context, { terms, constant }: Affine): Code {
  const hoisted = { terms: terms.filter(({ atom }) => isHoistable(atom)), constant };
  const rest = terms.filter(({ atom }) => !isHoistable(atom));
  const isZero = hoisted.terms.length === 0 && constant === 0;
  return sumCode(context, isZero && rest.length > 0 ? [] : pointerCode(context, hoisted), rest);
}

/** Says whether an expression depends on loop variables alone, so that it can be computed at the top of its loop. */
const isHoistable = (expr: Expr): boolean =>
  !someExpr(expr, ({ kind }) => kind === "local" || kind === "load" || kind === "bitcast" || kind === "lanes");
