// Stores of tiles whose elements are computed on the way, such as a bias that is added or a half that is rounded, for machines that can do no
// more with a tile than move it: it goes to the memory of the group, from where each lane of the warp computes its share of the elements.
// A tile that is stored as it is stays one store.
//
//   C[ramp(ramp(i, 1, 16), 128, 256)] = f16(acc)   →   barrier
//                                                      tile[ramp(w * 256, 1, 256)] = acc
//                                                      barrier
//                                                      C[ramp(i + x // 4 * 128 + x % 4 * 4, 1, 4)] = f16(tile[ramp(w * 256 + x * 4, 1, 4)])
//                                                      …
//
// Lane x of warp w takes four neighbours of a row, so that lanes side by side store side by side.

import { warpTile } from "../../intrinsic/warp-product.ts";
import { localBuffer } from "../../ir/buffer.ts";
import {
  add,
  broadcast,
  constInt,
  floorDiv,
  loadOf,
  mod,
  mul,
  ramp,
  seq,
  store,
  sync,
  variable,
} from "../../ir/build.ts";
import { isWholeAccess } from "../../ir/fragment.ts";
import type { Buffer, Expr, Local, Stmt, Store, ThreadAxis } from "../../ir/loop-ir.ts";
import { groupAxisOf, isWarpWide } from "../../ir/thread-axes.ts";
import { lanesOf, mapChildren, mapOperands, walkExpr } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import { warpLanes } from "../../target/shuffles.ts";
import type { Pass } from "./pass.ts";

export const spreadTiles: Pass = {
  name: "spread-tiles",
  run(func) {
    const made = new Map<string, Buffer>();
    const body = spreadIn(func.body, { extents: new Map(), made });
    return made.size === 0 ? func : { ...func, buffers: [...func.buffers, ...made.values()], body };
  },
};

interface Context {
  /** Extents of the loops over threads around the statement. */
  readonly extents: ReadonlyMap<ThreadAxis, number>;
  /** Memory of the group for tiles, by the number of warps and the type. */
  readonly made: Map<string, Buffer>;
}

/** Elements that a lane computes at once, and how often it does. */
const piece = 4;
const rounds = (warpTile * warpTile) / (warpLanes * piece);

function spreadIn(stmt: Stmt, context: Context): Stmt {
  if (stmt.kind === "store" && isWarpWide(stmt.value)) return isMoved(stmt) ? stmt : spread(stmt, context);
  // Threads that take different ways would not meet at a barrier.
  if (stmt.kind === "if") return stmt;
  const axis = stmt.kind === "for" ? groupAxisOf(stmt) : null;
  const extents = axis && stmt.kind === "for" ? new Map([...context.extents, [axis, stmt.extent]]) : context.extents;
  return mapChildren(stmt, (child) => spreadIn(child, { ...context, extents }));
}

/** Says whether a tile is stored as it is, row by row. */
const isMoved = ({ value, indices, active }: Store): boolean =>
  value.kind === "local" && isWholeAccess(indices, active);

function spread(stmt: Store, { extents, made }: Context): Stmt {
  const tiles = tilesIn(stmt.value);
  const [tile] = tiles;
  if (tiles.length !== 1 || !tile || stmt.active) return stmt;
  const [rows, warpsOfRow] = [extents.get("threadIdx.z") ?? 1, extents.get("threadIdx.y") ?? 1];
  const shape = [rows * warpsOfRow * product([warpTile, warpTile])];
  const key = `${tile.dtype} ${shape}`;
  const buffer =
    made.get(key) ?? localBuffer({ name: `tile.${made.size}`, dtype: tile.dtype as Buffer["dtype"], shape }, "group");
  made.set(key, buffer);
  const first = mul(warpOf(extents), constInt(warpTile * warpTile));
  const stored = Array.from({ length: rounds }, (_, round) => {
    const place = placeOf(round, first, buffer);
    return store({ name: stmt.buffer }, [partOf(stmt.indices[0]!, place)], partOf(stmt.value, place));
  });
  return seq(sync("barrier"), store(buffer, [ramp(first, 1, warpTile * warpTile)], tile), sync("barrier"), ...stored);
}

function warpOf(extents: Context["extents"]): Expr {
  const of = (axis: ThreadAxis): Expr => (extents.has(axis) ? variable(axis) : constInt(0));
  return add(mul(of("threadIdx.z"), constInt(extents.get("threadIdx.y") ?? 1)), of("threadIdx.y"));
}

/** Tiles that a value is made of, each once. */
function tilesIn(value: Expr): readonly Local[] {
  const tiles = new Map<string, Local>();
  walkExpr(value, (expr) => {
    if (expr.kind === "local" && isWarpWide(expr)) tiles.set(expr.name, expr);
  });
  return [...tiles.values()];
}

/** The elements of a lane in a round. */
interface Place {
  readonly row: Expr;
  readonly column: Expr;
  /** The tile, in the memory of the group. */
  readonly tile: Expr;
}

function placeOf(round: number, first: Expr, buffer: Buffer): Place {
  const lane = add(variable("threadIdx.x"), constInt(round * warpLanes));
  const inRow = constInt(warpTile / piece);
  const at = add(first, mul(lane, constInt(piece)));
  return {
    row: floorDiv(lane, inRow),
    column: mul(mod(lane, inRow), constInt(piece)),
    tile: loadOf(buffer, [ramp(at, 1, piece)]),
  };
}

/** The part of a value, of a tile or of one of its rows, that a lane computes. */
function partOf(expr: Expr, place: Place): Expr {
  const lanes = lanesOf(expr);
  if (lanes === 1) return expr;
  const isRow = lanes === warpTile;
  switch (expr.kind) {
    case "local":
      return place.tile;
    case "broadcast":
      return lanesOf(expr.value) === 1 ? broadcast(expr.value, piece) : partOf(expr.value, place);
    case "ramp": {
      const steps = (of: Expr): Expr => mul(of, constInt(expr.stride));
      if (lanesOf(expr.base) > 1) return shifted(partOf(expr.base, place), steps(place.row));
      const start = isRow ? place.column : add(mul(place.row, constInt(warpTile)), place.column);
      return ramp(add(expr.base, steps(start)), expr.stride, piece);
    }
    default:
      return mapOperands(expr, (operand) => partOf(operand, place));
  }
}

/** A short vector of indices, and a number added to each. */
function shifted(expr: Expr, by: Expr): Expr {
  if (expr.kind === "ramp") return ramp(add(expr.base as Expr, by), expr.stride, expr.lanes);
  if (expr.kind === "broadcast") return broadcast(add(expr.value, by), expr.lanes);
  return add(expr, broadcast(by, piece));
}
