// Statements on tiles that the lanes of a warp hold together → CUDA C. A tile of sums is eight floats of each lane, an operand of
// a product four words, which ldmatrix brings from the memory of the group.

import { cannotRun } from "../../backend/cannot.ts";
import type { WarpProductText } from "../../intrinsic/cuda-mma.ts";
import type { Assign, Define, Expr, IntrinsicCall, Load, LoopFunc, Store } from "../../ir/loop-ir.ts";
import { lanesOf, ownExprs, walkStmt } from "../../ir/visit.ts";
import { warpWideLanes } from "../../lower/pass/distribute-threads.ts";
import { isMultiple } from "./aligned-run.ts";
import { bytesOfElement, cudaType, moveOf } from "./elements.ts";
import { cudaExpr, cudaIndex } from "./expression.ts";
import { elementAt, sumsPerLane } from "./lane.ts";
import type { StatementContext } from "./statement.ts";

type Lines = readonly string[];

export const isWarpValue = (value: Expr): boolean => lanesOf(value) >= warpWideLanes;

/** Finds which locals are operands of products. */
export function operandsIn({ body }: LoopFunc): ReadonlyMap<string, "left" | "right"> {
  const operands = new Map<string, "left" | "right">();
  walkStmt(
    body,
    () => {},
    (expr) => {
      if (expr.kind !== "intrinsic") return;
      const [, left, right] = expr.operands;
      if (left?.kind === "local") operands.set(left.name, "left");
      if (right?.kind === "local") operands.set(right.name, "right");
    },
  );
  return operands;
}

const refuse = (why: string): never => {
  throw cannotRun("cuda", why, "tiles of a warp are zeroed, multiplied, and stored element by element");
};

const elements = Array.from({ length: sumsPerLane }, (_, element) => element);

export function warpDefine(stmt: Define, context: StatementContext): Lines {
  const name = context.names(stmt.name);
  const side = context.operands.get(stmt.name);
  if (side) return operandLines(stmt.value, side, name, context);
  const type = cudaType[stmt.dtype];
  return [`${type} ${name}[${sumsPerLane}];`, ...setLines(name, stmt.value, context)];
}

export const warpAssign = (stmt: Assign, context: StatementContext): Lines =>
  setLines(context.names(stmt.name), stmt.value, context);

function setLines(name: string, value: Expr, context: StatementContext): Lines {
  if (value.kind === "intrinsic") return productLines(name, value, context);
  const sets = elements.map((e) => `${name}[${e}] = ${cudaExpr(value, elementAt(e), context)};`);
  return [sets.join(" ")];
}

function productLines(name: string, call: IntrinsicCall, context: StatementContext): Lines {
  const [sums, left, right] = call.operands;
  const text = call.text.cuda as WarpProductText;
  if (sums?.kind !== "local" || context.names(sums.name) !== name) return refuse("a product is added to other sums");
  const [a, b] = [operandOf(left!, "left", context), operandOf(right!, "right", context)];
  const call_ = `${context.use(`uk_product_${text.operands}`)}(${name}, ${a.name}, ${b.name});`;
  return a.lines.length + b.lines.length === 0 ? [call_] : ["{", ...a.lines, ...b.lines, call_, "}"];
}

function operandOf(operand: Expr, side: "left" | "right", context: StatementContext): { name: string; lines: Lines } {
  if (operand.kind === "local") {
    if (context.operands.get(operand.name) !== side) refuse("a tile is both a left and a right operand");
    return { name: context.names(operand.name), lines: [] };
  }
  const name = context.fresh("tile");
  return { name, lines: operandLines(operand, side, name, context) };
}

/** Loads of a tile: each lane gives the address of a row of eight elements. */
function operandLines(value: Expr, side: "left" | "right", name: string, context: StatementContext): Lines {
  if (value.kind !== "load" || !context.group.has(value.buffer))
    return refuse("an operand lies outside of the memory of the group");
  const { base, apart } = rowsOf(value);
  const load = context.use(side === "left" ? "uk_load_rows" : "uk_load_columns");
  const index = `${cudaIndex(base, null, context)} + uk_tile_row * ${apart} + uk_tile_column`;
  return [
    `unsigned ${name}[4];`,
    `${load}(${name}, ${context.use("uk_shared")}(&${context.names(value.buffer)}[${index}]));`,
  ];
}

function rowsOf(load: Load): { base: Expr; apart: number } {
  const index = load.indices[0]!;
  if (index.kind !== "ramp" || load.active) return refuse("an operand is no tile in memory");
  const nested = index.base.kind === "ramp";
  const apart = nested ? index.stride : 16;
  const base = index.base.kind === "ramp" ? index.base.base : index.base;
  const step = index.base.kind === "ramp" ? index.base.stride : index.stride;
  const isWhole = step === 1 && (!nested || lanesOf(index.base) === 16);
  if (!isWhole || apart % 8 !== 0 || !isMultiple(base, 8)) return refuse("rows of an operand do not begin at 16 bytes");
  return { base, apart };
}

/** Neighbouring columns of a lane are stored together. */
export function warpStore(stmt: Store, context: StatementContext): Lines {
  const index = stmt.indices[0]!;
  const buffer = context.names(stmt.buffer);
  const { dtype } = stmt.value;
  if (stmt.value.kind === "intrinsic") return refuse("a product is not kept in registers");
  const value = (element: number): string => cudaExpr(stmt.value, elementAt(element), context);
  const at = (element: number): string => cudaIndex(index, elementAt(element), context);
  if (!arePairs(index)) return elements.map((e) => `${buffer}[${at(e)}] = ${value(e)};`);
  const move = moveOf(2 * bytesOfElement(dtype))!;
  return elements
    .filter((element) => element % 2 === 0)
    .map((e) => {
      const name = context.fresh("pair");
      const pair = `alignas(8) ${cudaType[dtype]} ${name}[2] = {${value(e)}, ${value(e + 1)}};`;
      return `{ ${pair} *(${move} *)&${buffer}[${at(e)}] = *(${move} *)${name}; }`;
    });
}

function arePairs(index: Expr): boolean {
  if (index.kind !== "ramp") return false;
  const inner = index.base.kind === "ramp" ? index.base : index;
  return inner.stride === 1 && (inner === index || index.stride % 2 === 0) && isMultiple(inner.base, 2);
}

export const hasWarpValues = ({ body }: LoopFunc): boolean => {
  let found = false;
  walkStmt(body, (stmt) => {
    found ||= ownExprs(stmt).some((expr) => isWarpValue(expr));
  });
  return found;
};
