// Tiles that the lanes of a warp hold together, as statements name them → how instructions take them: operands of products, rows that ldmatrix
// loads, and panels that wgmma reads by itself.

import type { DType } from "../../../expr/dtype.ts";
import { type GroupProductText, groupTile } from "../../../intrinsic/cuda-wgmma.ts";
import { type WarpProductText, warpDepth, warpTile } from "../../../intrinsic/warp-product.ts";
import type { Expr, IntrinsicCall, Load, LoopFunc, Stmt, Store } from "../../../ir/loop-ir.ts";
import { isWarpWide, lanesThatHold } from "../../../ir/thread-axes.ts";
import { lanesOf, walkStmt } from "../../../ir/visit.ts";
import { cannotRun } from "../../cannot.ts";
import { isMultiple } from "./aligned-run.ts";
import { bytesOfElement } from "./elements.ts";
import { sumsPerLane } from "./lane.ts";

/** Place of a tile in the products that take it. */
export interface TileOperand {
  readonly side: "left" | "right";
  readonly text: WarpProductText | GroupProductText;
}

export const refuseTile = (why: string): never => {
  throw cannotRun("cuda", why, "tiles of a warp are zeroed, multiplied, and stored element by element");
};

export const productOf = ({ text }: IntrinsicCall): TileOperand["text"] => text.cuda as TileOperand["text"];

/** Finds which locals are operands of products. */
export function operandsIn({ body }: LoopFunc): ReadonlyMap<string, TileOperand> {
  const operands = new Map<string, TileOperand>();
  walkStmt(
    body,
    () => {},
    (expr) => {
      if (expr.kind !== "intrinsic") return;
      const [, left, right] = expr.operands;
      const text = productOf(expr);
      if (left?.kind === "local") operands.set(left.name, { side: "left", text });
      if (right?.kind === "local") operands.set(right.name, { side: "right", text });
    },
  );
  return operands;
}

/** Buffers that products read in panels. */
export function panelsIn(func: LoopFunc): ReadonlySet<string> {
  const panels = new Set<string>();
  const isInPanels = (text: TileOperand["text"] | undefined): boolean => text?.kind === "group-product";
  const note = (value: Expr): void => {
    if (value.kind === "load") panels.add(value.buffer);
  };
  const operands = operandsIn(func);
  walkStmt(
    func.body,
    (stmt) => {
      if (stmt.kind === "define" && isInPanels(operands.get(stmt.name)?.text)) note(stmt.value);
    },
    (expr) => {
      if (expr.kind === "intrinsic" && isInPanels(productOf(expr))) expr.operands.slice(1).forEach(note);
    },
  );
  return panels;
}

/** Names of the buffers of which statements name a tile. */
export function tiledIn(body: Stmt): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(
    body,
    (stmt) => {
      if (stmt.kind === "store" && isWarpWide(stmt.value)) names.add(stmt.buffer);
    },
    (expr) => {
      if (expr.kind === "load" && isWarpWide(expr)) names.add(expr.buffer);
    },
  );
  return names;
}

/** Numbers of lanes that hold tiles together, in a function; none: it has no tiles. */
export function lanesOfTiles(body: Stmt): ReadonlySet<number> {
  const found = new Set<number>();
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "store" && stmt.kind !== "define" && stmt.kind !== "assign") return;
    const isOperand = stmt.value.kind === "load" && stmt.kind === "define";
    if (isWarpWide(stmt.value) && !isOperand) found.add(lanesThatHold(lanesOf(stmt.value)));
  });
  return found;
}

/** The elements of a tile that a lane holds, by number, for the code of each. */
export const elementsOf = (tile: number): readonly number[] =>
  Array.from({ length: sumsPerLane(tile) }, (_, element) => element);

/** Loads of an operand by ldmatrix: each lane gives the address of a piece of 16 bytes. */
export interface TileRows {
  readonly base: Expr;
  /** Elements from one row to the next, and in a piece. */
  readonly apart: number;
  readonly piece: number;
  /** Whether elements are transposed on their way. */
  readonly isAcross: boolean;
}

/** Rows of an operand for products of a warp. */
export function rowsOf(load: Load, { side, text }: TileOperand): TileRows {
  const isAcross = side === "right" && !text.isAlongDepth;
  const index = load.indices[0]!;
  if (index.kind !== "ramp" || load.active) return refuseTile("an operand is no tile in memory");
  const nested = index.base.kind === "ramp";
  const bytes = bytesOfElement(load.dtype);
  const lanes = isAcross ? warpTile : warpDepth(load.dtype as DType);
  const piece = 16 / bytes;
  const apart = nested ? index.stride : lanes;
  const base = index.base.kind === "ramp" ? index.base.base : index.base;
  const step = index.base.kind === "ramp" ? index.base.stride : index.stride;
  const isWhole = step === 1 && (!nested || lanesOf(index.base) === lanes);
  if (!isWhole || apart % piece !== 0 || !isMultiple(base, piece)) {
    return refuseTile("rows of an operand do not begin at 16 bytes");
  }
  return { base, apart, piece, isAcross };
}

/** An operand in panels: where it begins, and the bytes from one panel to the next. */
export interface PanelPlace {
  readonly base: Expr;
  readonly apart: number;
}

/** Place of an operand for products of four warps. */
export function panelOf(load: Load, { side, text }: TileOperand): PanelPlace {
  // Rows run along the depth, else along the columns.
  const isAlongDepth = side === "left" || text.isAlongDepth;
  const index = load.indices[0]!;
  if (index.kind !== "ramp" || load.active) return refuseTile("an operand is no tile in memory");
  const inner = index.base.kind === "ramp" ? index.base : index;
  const dtype = load.dtype as DType;
  const bytes = bytesOfElement(dtype);
  const [depth, panel, piece] = [groupTile.depth(dtype), groupTile.panel(dtype), 16 / bytes];
  const run = isAlongDepth ? depth : depth * panel;
  const isInPanels =
    inner.stride === 1 &&
    (isAlongDepth ? index.stride === panel && inner.lanes === depth : inner.lanes === run || inner === index);
  // A product may begin at any piece of 16 bytes in a row, and at every eighth row.
  const isAligned = isMultiple(inner.base, isAlongDepth ? piece : 8 * panel);
  if (!isInPanels || !isAligned) return refuseTile(`${load.buffer} does not lie in panels of ${panel} elements`);
  const apart = isAlongDepth ? (lanesOf(index) / depth) * panel : inner === index ? run : index.stride;
  return { base: inner.base, apart: bytes * apart };
}

/** A tile that is loaded from the memory of the group as an operand; refuses all else. */
export function operandLoad(value: Expr, group: ReadonlySet<string>): Load {
  if (value.kind === "load" && group.has(value.buffer)) return value;
  return refuseTile("an operand lies outside of the memory of the group");
}

/** A tile that is stored, element by element; refuses what has no registers or another place. */
export function refuseStore({ buffer, value }: Store, panels: ReadonlySet<string>): void {
  if (value.kind === "intrinsic") refuseTile("a product is not kept in registers");
  // The places of panels are swapped by pieces that a lane has no whole of.
  if (panels.has(buffer)) refuseTile(`a tile is computed on its way to the panels of ${buffer}`);
}

/** Says whether the two neighbours of a lane lie at a multiple of their size. */
export function arePairs(index: Expr): boolean {
  if (index.kind !== "ramp") return false;
  const inner = index.base.kind === "ramp" ? index.base : index;
  return inner.stride === 1 && (inner === index || index.stride % 2 === 0) && isMultiple(inner.base, 2);
}
