// Vector loads: runs of lanes, gathers, splats, and loads of as many lanes as a count says.

import type { Expr, Load } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { type Address, addressOf, withAddress } from "./address.ts";
import type { Context } from "./context.ts";
import { type Code, get, i32, ifElse, plain, set, zeroVector } from "./instruction.ts";
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
import type { LaneRange } from "./lane-range.ts";
import { laneBytesOf } from "./value-type.ts";

const loadLaneOps = {
  1: "v128.load8_lane",
  2: "v128.load16_lane",
  4: "v128.load32_lane",
  8: "v128.load64_lane",
} as const;

const splatOps = {
  1: "v128.load8_splat",
  2: "v128.load16_splat",
  4: "v128.load32_splat",
  8: "v128.load64_splat",
} as const;

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

/** A run of 2, 4 or 8 bytes again and again. Expects a load of neighbours. */
export function loadRepeated(context: Context, { buffer, indices, dtype }: Load, bytes: number): Code {
  const index = indexOf(indices);
  invariant(isUnitRamp(index) && (bytes === 2 || bytes === 4 || bytes === 8), `${bytes} bytes are repeated`);
  const { base, offset } = addressOf(context, buffer, index.base, 0);
  return [...base, memory(splatOps[bytes], laneBytesOf(dtype), offset, null)];
}

/** Loads as many lanes as a count says that is known only at run time: all at once if it covers them, else one by one. */
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
