// Statements on tiles that the lanes of a warp hold together → CUDA C. A tile of sums is eight floats of each lane, an operand of
// a product four words, which ldmatrix brings from the memory of the group.

import type { DType } from "../../expr/dtype.ts";
import { groupTile } from "../../intrinsic/cuda-wgmma.ts";
import { warpDepth, warpTile } from "../../intrinsic/warp-product.ts";
import type { Assign, Define, Expr, IntrinsicCall, Load, LoopFunc, Stmt, Store } from "../../ir/loop-ir.ts";
import { isWarpWide, lanesThatHold } from "../../ir/thread-axes.ts";
import { lanesOf, walkStmt } from "../../ir/visit.ts";
import { cannotRun } from "../cannot.ts";
import { isMultiple } from "./aligned-run.ts";
import { bytesOfElement, cudaPair, cudaType, isHalf } from "./elements.ts";
import { cudaExpr, cudaIndex } from "./expression.ts";
import { elementAt, sumsPerLane } from "./lane.ts";
import { groupProductName, type HelperName } from "./run-time.ts";
import type { StatementContext, TileOperand } from "./statement-context.ts";

type Lines = readonly string[];

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

const productOf = ({ text }: IntrinsicCall): TileOperand["text"] => text.cuda as TileOperand["text"];

const refuse = (why: string): never => {
  throw cannotRun("cuda", why, "tiles of a warp are zeroed, multiplied, and stored element by element");
};

/** The elements of a tile that a lane holds, by number, for the code of each. */
const elementsOf = (tile: number): readonly number[] =>
  Array.from({ length: sumsPerLane(tile) }, (_, element) => element);

export function warpDefine(stmt: Define, context: StatementContext): Lines {
  const name = context.names(stmt.name);
  const operand = context.operands.get(stmt.name);
  if (operand) return operandLines(stmt.value, operand, name, context);
  const type = cudaType[stmt.dtype];
  return [`${type} ${name}[${sumsPerLane(stmt.lanes)}];`, ...setLines(name, stmt.value, context)];
}

export const warpAssign = (stmt: Assign, context: StatementContext): Lines =>
  setLines(context.names(stmt.name), stmt.value, context);

function setLines(name: string, value: Expr, context: StatementContext): Lines {
  if (value.kind === "intrinsic") return productLines(name, value, context);
  const tile = lanesOf(value);
  return elementsOf(tile).map((e) => `${name}[${e}] = ${cudaExpr(value, elementAt(e, tile), context)};`);
}

function productLines(name: string, call: IntrinsicCall, context: StatementContext): Lines {
  const [sums, left, right] = call.operands;
  if (sums?.kind !== "local" || context.names(sums.name) !== name) return refuse("a product is added to other sums");
  const text = productOf(call);
  const [a, b] = [
    operandOf(left!, { side: "left", text }, context),
    operandOf(right!, { side: "right", text }, context),
  ];
  const product = `${context.use(productNamed(text))}(${name}, ${a.name}, ${b.name});`;
  return a.lines.length + b.lines.length === 0 ? [product] : ["{", ...a.lines, ...b.lines, product, "}"];
}

const productNamed = (text: TileOperand["text"]): HelperName =>
  text.kind === "group-product" ? groupProductName(text.operands, text.columns) : `uk_product_${text.operands}`;

function operandOf(
  value: Expr,
  operand: TileOperand,
  context: StatementContext,
): { readonly name: string; readonly lines: Lines } {
  if (value.kind === "local") {
    if (context.operands.get(value.name)?.side !== operand.side) refuse("a tile is both a left and a right operand");
    return { name: context.names(value.name), lines: [] };
  }
  const name = context.fresh("tile");
  return { name, lines: operandLines(value, operand, name, context) };
}

/** Loads of a tile, or where it lies for a product that reads memory itself. */
function operandLines(value: Expr, { side, text }: TileOperand, name: string, context: StatementContext): Lines {
  if (value.kind !== "load" || !context.group.has(value.buffer)) {
    return refuse("an operand lies outside of the memory of the group");
  }
  if (text.kind === "group-product") return descriptorLines(value, side === "left" || text.isAlongDepth, name, context);
  // Each lane gives the address of sixteen bytes of a row.
  const { base, apart, piece } = rowsOf(value, side === "right" && !text.isAlongDepth ? warpTile : null);
  const load = context.use(side === "left" || text.isAlongDepth ? "uk_load_rows" : "uk_load_columns");
  const column = piece === 8 ? "uk_tile_column" : `uk_tile_column * ${piece / 8}`;
  const index = `${cudaIndex(base, null, context)} + uk_tile_row * ${apart} + ${column}`;
  return [`unsigned ${name}[4];`, `${load}(${name}, ${addressOf(value, index, context)});`];
}

const addressOf = ({ buffer }: Load, index: string, context: StatementContext): string =>
  `${context.use("uk_shared")}(&${context.names(buffer)}[${index}])`;

/**
 * Descriptor of an operand in panels: where it begins, and how far its panels are apart.
 *
 * @param isAlongDepth whether its rows run along the depth; else they run along the columns
 */
function descriptorLines(load: Load, isAlongDepth: boolean, name: string, context: StatementContext): Lines {
  const index = load.indices[0]!;
  if (index.kind !== "ramp" || load.active) return refuse("an operand is no tile in memory");
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
  if (!isInPanels || !isAligned) return refuse(`${load.buffer} does not lie in panels of ${panel} elements`);
  const apart = isAlongDepth ? (lanesOf(index) / depth) * panel : inner === index ? run : index.stride;
  const at = `${context.use("uk_shared")}(&${context.names(load.buffer)}[${cudaIndex(inner.base, null, context)}])`;
  return [`const unsigned long long ${name} = ${context.use("uk_panel")}(${at}, ${bytes * apart});`];
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

/** Rows of a tile in memory, of so many elements; null: of as many as fill 32 bytes. */
function rowsOf(load: Load, columns: number | null): { base: Expr; apart: number; piece: number } {
  const index = load.indices[0]!;
  if (index.kind !== "ramp" || load.active) return refuse("an operand is no tile in memory");
  const nested = index.base.kind === "ramp";
  const bytes = bytesOfElement(load.dtype);
  const lanes = columns ?? warpDepth(load.dtype as DType);
  const piece = 16 / bytes;
  const apart = nested ? index.stride : lanes;
  const base = index.base.kind === "ramp" ? index.base.base : index.base;
  const step = index.base.kind === "ramp" ? index.base.stride : index.stride;
  const isWhole = step === 1 && (!nested || lanesOf(index.base) === lanes);
  if (!isWhole || apart % piece !== 0 || !isMultiple(base, piece)) {
    return refuse("rows of an operand do not begin at 16 bytes");
  }
  return { base, apart, piece };
}

/** Neighbouring columns of a lane are stored together. */
export function warpStore(stmt: Store, context: StatementContext): Lines {
  const index = stmt.indices[0]!;
  const buffer = context.names(stmt.buffer);
  const { dtype } = stmt.value;
  if (stmt.value.kind === "intrinsic") return refuse("a product is not kept in registers");
  // The places of panels are swapped by pieces that a lane has no whole of.
  if (context.panels.has(stmt.buffer)) return refuse(`a tile is computed on its way to the panels of ${stmt.buffer}`);
  const tile = lanesOf(stmt.value);
  const elements = elementsOf(tile);
  const value = (element: number): string => cudaExpr(stmt.value, elementAt(element, tile), context);
  const at = (element: number): string => cudaIndex(index, elementAt(element, tile), context);
  if (!arePairs(index)) return elements.map((e) => `${buffer}[${at(e)}] = ${value(e)};`);
  const pair = cudaPair[dtype];
  // Braces take no int for less.
  const narrow = bytesOfElement(dtype) < 4 && !isHalf(dtype) ? `(${cudaType[dtype]})` : "";
  return elements
    .filter((element) => element % 2 === 0)
    .map((e) => `*(${pair} *)&${buffer}[${at(e)}] = ${pair}{${narrow}${value(e)}, ${narrow}${value(e + 1)}};`);
}

function arePairs(index: Expr): boolean {
  if (index.kind !== "ramp") return false;
  const inner = index.base.kind === "ramp" ? index.base : index;
  return inner.stride === 1 && (inner === index || index.stride % 2 === 0) && isMultiple(inner.base, 2);
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
