// Statements on tiles that the lanes of a warp hold together → CUDA C. A tile of sums is eight floats of each lane, an operand of
// a product four words, which ldmatrix brings from the memory of the group.

import type { Assign, Define, Expr, IntrinsicCall, Load, Store } from "../../../ir/loop-ir.ts";
import { lanesOf } from "../../../ir/visit.ts";
import { bytesOfElement, isHalf } from "../plan/elements.ts";
import { elementAt, sumsPerLane } from "../plan/lane.ts";
import {
  arePairs,
  elementsOf,
  operandLoad,
  panelOf,
  productOf,
  refuseStore,
  refuseTile,
  rowsOf,
  type TileOperand,
} from "../plan/tiles.ts";
import { cudaExpr, cudaIndex } from "./expression.ts";
import { groupProductName, type HelperName } from "./run-time.ts";
import type { StatementContext } from "./statement-context.ts";
import { cudaPair, cudaType } from "./types.ts";

type Lines = readonly string[];

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
  if (sums?.kind !== "local" || context.names(sums.name) !== name) {
    return refuseTile("a product is added to other sums");
  }
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
    if (context.operands.get(value.name)?.side !== operand.side) {
      refuseTile("a tile is both a left and a right operand");
    }
    return { name: context.names(value.name), lines: [] };
  }
  const name = context.fresh("tile");
  return { name, lines: operandLines(value, operand, name, context) };
}

/** Loads of a tile, or its descriptor for a product that reads memory itself. */
function operandLines(value: Expr, operand: TileOperand, name: string, context: StatementContext): Lines {
  const load = operandLoad(value, context.group);
  if (operand.text.kind === "group-product") {
    const { base, apart } = panelOf(load, operand);
    const at = addressOf(load, cudaIndex(base, null, context), context);
    return [`const unsigned long long ${name} = ${context.use("uk_panel")}(${at}, ${apart});`];
  }
  const { base, apart, piece, isAcross } = rowsOf(load, operand);
  const loading = context.use(isAcross ? "uk_load_columns" : "uk_load_rows");
  const column = piece === 8 ? "uk_tile_column" : `uk_tile_column * ${piece / 8}`;
  const index = `${cudaIndex(base, null, context)} + uk_tile_row * ${apart} + ${column}`;
  return [`unsigned ${name}[4];`, `${loading}(${name}, ${addressOf(load, index, context)});`];
}

const addressOf = ({ buffer }: Load, index: string, context: StatementContext): string =>
  `${context.use("uk_shared")}(&${context.names(buffer)}[${index}])`;

/** Neighbouring columns of a lane are stored together. */
export function warpStore(stmt: Store, context: StatementContext): Lines {
  refuseStore(stmt, context.panels);
  const index = stmt.indices[0]!;
  const buffer = context.names(stmt.buffer);
  const { dtype } = stmt.value;
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
