// Vector loads and stores. Memory beyond the active lanes is never touched: a short run of lanes is read and written in
// pieces of 8, 4, 2 and 1 bytes.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, Load, Ramp, Store } from "../../ir/loop-ir.ts";
import { someExpr } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";
import { type Address, addressOf, withAddress } from "./address.ts";
import type { Context } from "./context.ts";
import { type Code, get, type Instruction, i32, ifElse, plain, set, zeroVector } from "./instruction.ts";
import { laneIndex } from "./lane-index.ts";
import { mask } from "./mask.ts";
import type { OpName } from "./opcodes.ts";
import { scalar } from "./scalar.ts";
import { laneBytesOf } from "./value-type.ts";
import { type LaneRange, partsOf, vector } from "./vector.ts";

type PieceBytes = 1 | 2 | 4 | 8;

interface Piece {
  /** Position within the vector. */
  readonly at: number;
  readonly bytes: PieceBytes;
}

const loadLaneOps = {
  1: "v128.load8_lane",
  2: "v128.load16_lane",
  4: "v128.load32_lane",
  8: "v128.load64_lane",
} as const;
const storeLaneOps = {
  1: "v128.store8_lane",
  2: "v128.store16_lane",
  4: "v128.store32_lane",
  8: "v128.store64_lane",
} as const;
const splatOps = {
  1: "v128.load8_splat",
  2: "v128.load16_splat",
  4: "v128.load32_splat",
  8: "v128.load64_splat",
} as const;

/** A run of bytes from the start of a vector as pieces, the largest first, so that each is aligned in the vector. */
function piecesOf(bytes: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const size of [8, 4, 2, 1] as const) {
    for (; bytes - at >= size; at += size) pieces.push({ at, bytes: size });
  }
  return pieces;
}

const pieceOf = (laneBytes: number, index: number): Piece => {
  invariant(laneBytes === 1 || laneBytes === 2 || laneBytes === 4 || laneBytes === 8, `lanes of ${laneBytes} bytes`);
  return { at: index * laneBytes, bytes: laneBytes };
};

const memory = (op: OpName, laneBytes: number, offset: number, lane: number | null): Instruction => ({
  kind: "memory",
  op,
  align: Math.log2(laneBytes),
  offset,
  lane,
});

// ── loads ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lanes of a load that is not of bools, or of the bytes of bools. */
export function loadVector(context: Context, expr: Load, range: LaneRange): Code {
  const { active } = expr;
  if (!active) return loadRun(context, expr, range.first, range.count);
  if (active.kind === "const") {
    const count = clampCount(active.value - range.first, range.count);
    return count === 0 ? [zeroVector] : loadRun(context, expr, range.first, count);
  }
  return loadActive(context, expr, range, active);
}

const clampCount = (wanted: number, count: number): number => Math.max(0, Math.min(wanted, count));

/** The first `count` lanes from `first` on; the others are 0. */
function loadRun(context: Context, { buffer, indices, dtype }: Load, first: number, count: number): Code {
  const index = indexOf(indices);
  const laneBytes = laneBytesOf(dtype);
  if (!isUnitRamp(index)) {
    const lanes = Array.from({ length: count }, (_, lane) =>
      addressOf(context, buffer, laneIndex(index, first + lane), 0),
    );
    return gather(lanes, laneBytes);
  }
  const address = addressOf(context, buffer, index.base, first);
  return withAddress(context, address, (cheap) => loadBytes(cheap, laneBytes, count * laneBytes));
}

const indexOf = (indices: readonly Expr[]): Expr => {
  const [index] = indices;
  invariant(index && indices.length === 1, "an access of the flat form has one index");
  return index;
};

const isUnitRamp = (index: Expr): index is Ramp => index.kind === "ramp" && index.stride === 1;

function loadBytes({ base, offset }: Address, laneBytes: number, bytes: number): Code {
  if (bytes === 16) return [...base, memory("v128.load", laneBytes, offset, null)];
  return piecesOf(bytes).reduce<Code>(
    (vector, piece) => loadPiece({ base, offset: offset + piece.at }, laneBytes, piece, vector),
    [],
  );
}

/** Puts a piece of memory into the vector that `vector` pushes; nothing: into zeros. */
function loadPiece({ base, offset }: Address, laneBytes: number, { at, bytes }: Piece, vector: Code): Code {
  const align = Math.min(laneBytes, bytes);
  if (vector.length === 0 && at === 0 && bytes >= 4) {
    return [...base, memory(bytes === 8 ? "v128.load64_zero" : "v128.load32_zero", align, offset, null)];
  }
  const into = vector.length === 0 ? [zeroVector] : vector;
  return [...base, ...into, memory(loadLaneOps[bytes], align, offset, at / bytes)];
}

function gather(addresses: readonly Address[], laneBytes: number): Code {
  return addresses.reduce<Code>(
    (vector, address, index) => loadPiece(address, laneBytes, pieceOf(laneBytes, index), vector),
    [],
  );
}

/** One vector of separate elements. */
export function loadLanes(context: Context, loads: readonly Load[]): Code {
  const addresses = loads.map(({ buffer, indices }) => addressOf(context, buffer, indexOf(indices), 0));
  return gather(addresses, laneBytesOf(loads[0]?.dtype ?? "i32"));
}

export function loadSplat(context: Context, { buffer, indices, dtype }: Load): Code {
  const { base, offset } = addressOf(context, buffer, indexOf(indices), 0);
  const { bytes } = pieceOf(laneBytesOf(dtype), 0);
  return [...base, memory(splatOps[bytes], bytes, offset, null)];
}

/** A count that is known only at run time: all lanes at once if it covers them, else those that it does one by one. */
function loadActive(context: Context, expr: Load, { first, count }: LaneRange, active: Expr): Code {
  const { locals } = context;
  const index = indexOf(expr.indices);
  const laneBytes = laneBytesOf(expr.dtype);
  return locals.with("i32", (left) =>
    locals.with("v128", (result) => {
      const lanes = Array.from({ length: count }, (_, lane) => {
        const { base, offset } = addressOf(context, expr.buffer, laneIndex(index, first + lane), 0);
        const { at, bytes } = pieceOf(laneBytes, lane);
        return [...base, get(result), memory(loadLaneOps[bytes], laneBytes, offset, at / bytes), set(result)];
      });
      const some = [zeroVector, set(result), ...whileLeft(left, lanes), get(result)];
      return [
        ...[...remaining(context, active, first), set(left), get(left), i32(count), plain("i32.ge_s")],
        ...ifElse("v128", loadRun(context, expr, first, count), some),
      ];
    }),
  );
}

const remaining = (context: Context, active: Expr, first: number): Code => {
  const code = scalar(context, active);
  return first === 0 ? code : [...code, i32(first), plain("i32.sub")];
};

/** Step n runs if local `left` is above n. */
function whileLeft(left: number, steps: readonly Code[]): Code {
  return steps.reduceRight<Code>(
    (rest, step, index) => [get(left), i32(index), plain("i32.gt_s"), ...ifElse(null, [...step, ...rest], null)],
    [],
  );
}

// ── stores ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `store` of a vector, part by part. */
export function storeVector(context: Context, store: Store): Code {
  const { value } = store;
  const laneBytes = laneBytesOf(value.dtype);
  const parts = partsOf(lanesOf(value), laneBytes);
  const push = (range: LaneRange) => storedLanes(context, value, range);
  if (parts.length === 1 || !readsBuffer(value, store.buffer)) {
    return parts.flatMap((range) => storePart(context, store, range, push(range)));
  }
  // A later part may read what an earlier one writes: all of them are read first.
  const temporaries = parts.map(() => context.locals.fresh("v128"));
  const read = parts.flatMap((range, index) => [...push(range), set(temporaries[index] ?? 0)]);
  const write = parts.flatMap((range, index) => storePart(context, store, range, [get(temporaries[index] ?? 0)]));
  for (const temporary of temporaries) context.locals.release(temporary);
  return [...read, ...write];
}

/** The lanes as memory holds them: bools as bytes 0 and 1. */
function storedLanes(context: Context, value: Expr, range: LaneRange): Code {
  if (value.dtype !== "bool") return vector(context, value, range);
  const ones = { kind: "bytes", op: "v128.const", bytes: new Array<number>(16).fill(1) } as const;
  return [...mask(context, value, range, 1), ones, plain("v128.and")];
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
    const stores = pieces.flatMap((piece) => {
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
