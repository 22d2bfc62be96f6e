// Vector stores: runs of lanes, scatters, and stores of as many lanes as a count says.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, Store } from "../../ir/loop-ir.ts";
import { someExpr } from "../../ir/visit.ts";
import { flatMap } from "../../support/flat-map.ts";
import { type Address, addressOf } from "./address.ts";
import { splatBytes } from "./const-bits.ts";
import type { Context } from "./context.ts";
import { type Code, get, i32, ifElse, plain, set, v128 } from "./instruction.ts";
import {
  clampCount,
  indexOf,
  isUnitRamp,
  memory,
  type Piece,
  pieceOf,
  piecesOf,
  remaining,
  whileLeft,
} from "./lane-access.ts";
import { laneIndex } from "./lane-index.ts";
import { type LaneRange, laneRangesOf } from "./lane-range.ts";
import { mask, vector } from "./operand.ts";
import { laneBytesOf } from "./value-type.ts";

const storeLaneOps = {
  1: "v128.store8_lane",
  2: "v128.store16_lane",
  4: "v128.store32_lane",
  8: "v128.store64_lane",
} as const;

/** `store` of a vector, part by part. */
export function storeVector(context: Context, store: Store): Code {
  const { value } = store;
  const laneBytes = laneBytesOf(value.dtype);
  const parts = laneRangesOf(lanesOf(value), laneBytes);
  const push = (range: LaneRange) => storedLanes(context, value, range);
  if (parts.length === 1 || !readsBuffer(value, store.buffer)) {
    return flatMap(parts, (range) => storePart(context, store, range, push(range)));
  }
  // A later part may read what an earlier one writes: all of them are read first.
  const temporaries = parts.map(() => context.locals.fresh("v128"));
  const read = flatMap(parts, (range, index) => [...push(range), set(temporaries[index] ?? 0)]);
  const write = flatMap(parts, (range, index) => storePart(context, store, range, [get(temporaries[index] ?? 0)]));
  for (const temporary of temporaries) context.locals.release(temporary);
  return [...read, ...write];
}

/** The lanes as memory holds them: bools as bytes 0 and 1. */
function storedLanes(context: Context, value: Expr, range: LaneRange): Code {
  if (value.dtype !== "bool") return vector(context, value, range);
  return [...mask(context, value, range, 1), v128(splatBytes("u8", 1)), plain("v128.and")];
}

const readsBuffer = (expr: Expr, buffer: string): boolean =>
  someExpr(expr, (each) => each.kind === "load" && each.buffer === buffer);

function storePart(context: Context, store: Store, range: LaneRange, value: Code): Code {
  const { active } = store;
  if (!active) return storeRun(context, store, range, value);
  if (active.kind === "const") {
    const count = clampCount(active.value - range.first, range.count);
    return count === 0 ? [] : storeRun(context, store, { ...range, count }, value);
  }
  return storeActive(context, store, range, value, active);
}

function storeRun(context: Context, { buffer, indices, value: expr }: Store, range: LaneRange, value: Code): Code {
  const { first, count } = range;
  const index = indexOf(indices);
  const laneBytes = laneBytesOf(expr.dtype);
  if (isUnitRamp(index) && count * laneBytes === 16) {
    const { base, offset } = addressOf(context, buffer, index.base, first);
    return [...base, ...value, memory("v128.store", laneBytes, offset, null)];
  }
  return context.locals.with("v128", (whole) => {
    const pieces = isUnitRamp(index) ? piecesOf(count * laneBytes) : singleLanes(laneBytes, count);
    const stores = flatMap(pieces, (piece) => {
      const lane = first + piece.at / laneBytes;
      return storePiece(addressOf(context, buffer, laneIndex(index, lane), 0), laneBytes, piece, whole);
    });
    return [...value, set(whole), ...stores];
  });
}

const singleLanes = (laneBytes: number, count: number): readonly Piece[] =>
  Array.from({ length: count }, (_, index) => pieceOf(laneBytes, index));

function storePiece({ base, offset }: Address, laneBytes: number, { at, bytes }: Piece, vector: number): Code {
  return [...base, get(vector), memory(storeLaneOps[bytes], Math.min(laneBytes, bytes), offset, at / bytes)];
}

function storeActive(context: Context, store: Store, { first, count }: LaneRange, value: Code, active: Expr): Code {
  const { locals } = context;
  const index = indexOf(store.indices);
  const laneBytes = laneBytesOf(store.value.dtype);
  return locals.with("i32", (left) =>
    locals.with("v128", (whole) => {
      const lanes = singleLanes(laneBytes, count).map((piece, lane) =>
        storePiece(addressOf(context, store.buffer, laneIndex(index, first + lane), 0), laneBytes, piece, whole),
      );
      return [
        ...[...value, ...remaining(context, active, first), set(left), set(whole)],
        ...[get(left), i32(count), plain("i32.ge_s")],
        ...ifElse(null, storeRun(context, store, { first, count }, [get(whole)]), whileLeft(left, lanes)),
      ];
    }),
  );
}
