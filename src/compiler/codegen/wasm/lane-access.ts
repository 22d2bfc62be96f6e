// Parts that vector loads and vector stores have in common: a vector as pieces of memory, and counts of active lanes.
// Memory beyond the active lanes is never touched, so a short run of lanes is read and written in pieces of 8, 4, 2 and
// 1 bytes.

import type { Expr, Ramp } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context } from "./context.ts";
import { type Code, get, i32, ifElse, plain, type WasmInstruction } from "./instruction.ts";
import type { OpName } from "./opcodes.ts";
import { scalar } from "./operand.ts";

export type PieceBytes = 1 | 2 | 4 | 8;

export interface Piece {
  /** Position within the vector. */
  readonly at: number;
  readonly bytes: PieceBytes;
}

/** A run of bytes from the start of a vector as pieces, the largest first, so that each is aligned in the vector. */
export function piecesOf(bytes: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const size of [8, 4, 2, 1] as const) {
    for (; bytes - at >= size; at += size) pieces.push({ at, bytes: size });
  }
  return pieces;
}

export const pieceOf = (laneBytes: number, index: number): Piece => {
  invariant(laneBytes === 1 || laneBytes === 2 || laneBytes === 4 || laneBytes === 8, `lanes of ${laneBytes} bytes`);
  return { at: index * laneBytes, bytes: laneBytes };
};

export const memory = (op: OpName, laneBytes: number, offset: number, lane: number | null): WasmInstruction => ({
  kind: "memory",
  op,
  align: Math.log2(laneBytes),
  offset,
  lane,
});

export const indexOf = (indices: readonly Expr[]): Expr => {
  const [index] = indices;
  invariant(index && indices.length === 1, "an access of the flat form has one index");
  return index;
};

export const isUnitRamp = (index: Expr): index is Ramp => index.kind === "ramp" && index.stride === 1;

/** The active ones of `count` lanes. */
export const clampCount = (wanted: number, count: number): number => Math.max(0, Math.min(wanted, count));

/** Pushes how many of the lanes from `first` on are active. */
export const remaining = (context: Context, active: Expr, first: number): Code => {
  const code = scalar(context, active);
  return first === 0 ? code : [...code, i32(first), plain("i32.sub")];
};

/** Code in which step n runs if local `left` is above n. */
export function whileLeft(left: number, steps: readonly Code[], from = 0): Code {
  const step = steps[from];
  if (!step) return [];
  const rest = whileLeft(left, steps, from + 1);
  return [get(left), i32(from), plain("i32.gt_s"), ...ifElse(null, [...step, ...rest], null)];
}
