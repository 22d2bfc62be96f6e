// Statements on tiles that the lanes of a warp hold together → WGSL. A tile is some subgroup matrices of each subgroup: it is zeroed, multiplied
// with operands in the memory of the group, and stored as a whole.

import type { DType } from "../../expr/dtype.ts";
import { type WarpProductText, warpDepth, warpTile } from "../../intrinsic/warp-product.ts";
import { isZeros } from "../../ir/fragment.ts";
import type { Assign, Define, Expr, IntrinsicCall, IrType, Load, Stmt, Store } from "../../ir/loop-ir.ts";
import { isWarpWide } from "../../ir/thread-axes.ts";
import { lanesOf, walkStmt } from "../../ir/visit.ts";
import type { Target } from "../../target/target.ts";
import { cannotRun } from "../cannot.ts";
import { bound, type WgslContext } from "./context.ts";
import { wgslExpr } from "./expression.ts";
import { dividedIndex } from "./place.ts";
import { type SubgroupShare, subgroupShare } from "./subgroup-share.ts";

type Lines = readonly string[];

/** Place of a tile in the products that take it. */
export interface TileOperand {
  readonly side: "left" | "right";
  readonly text: WarpProductText;
}

/** Says whether a statement is on a tile. */
export const isTileStatement = (stmt: Stmt): boolean =>
  (stmt.kind === "define" || stmt.kind === "assign" || stmt.kind === "store") && isWarpWide(stmt.value);

const productOf = ({ text }: IntrinsicCall): WarpProductText | null => {
  const own = text.wgsl as WarpProductText | undefined;
  return own?.kind === "warp-product" ? own : null;
};

/** Tiles of a launch. */
export interface Tiles {
  /** Which matrices of a tile a subgroup holds; null: there are no tiles. */
  readonly share: SubgroupShare | null;
  /** Operand that a local is of its products. */
  readonly operands: ReadonlyMap<string, TileOperand>;
  /** Type of the matrices of a local that is sums. */
  readonly sums: ReadonlyMap<string, SumType>;
  /** Names of the buffers that products read, and of those that tiles are stored to. */
  readonly read: ReadonlySet<string>;
  readonly stored: ReadonlySet<string>;
  /** Features of the device that they need. */
  readonly features: readonly WgslFeature[];
}

/** Products of bytes without signs are summed without signs: the bits are those of the sums with them. */
type SumType = "f32" | "i32" | "u32";

export type WgslFeature = "shader-f16" | "subgroups" | "chromium-experimental-subgroup-matrix";

export function tilesIn(body: Stmt, target: Target): Tiles {
  const operands = new Map<string, TileOperand>();
  const sums = new Map<string, SumType>();
  const [read, stored] = [new Set<string>(), new Set<string>()];
  const types = new Set<IrType>();
  walkStmt(
    body,
    (stmt) => {
      if (isTileStatement(stmt)) types.add((stmt as Store).value.dtype);
      if (stmt.kind === "store" && isWarpWide(stmt.value)) stored.add(stmt.buffer);
    },
    (expr) => {
      if (expr.kind === "load" && isWarpWide(expr)) read.add(expr.buffer);
      if (isWarpWide(expr)) types.add(expr.dtype);
      const text = expr.kind === "intrinsic" ? productOf(expr) : null;
      if (expr.kind !== "intrinsic" || !text) return;
      const [sum, left, right] = expr.operands;
      if (sum?.kind === "local") sums.set(sum.name, left?.dtype === "u8" ? "u32" : sum.dtype === "i32" ? "i32" : "f32");
      if (left?.kind === "local") operands.set(left.name, { side: "left", text });
      if (right?.kind === "local") operands.set(right.name, { side: "right", text });
    },
  );
  if (types.size === 0) return { share: null, operands, sums, read, stored, features: [] };
  const halves = types.has("f16") ? (["shader-f16"] as const) : [];
  const features = [...halves, "subgroups", "chromium-experimental-subgroup-matrix"] as const;
  return { share: subgroupShare(target), operands, sums, read, stored, features };
}

const refuse = (why: string): never => {
  throw cannotRun("wgsl", why, "tiles of a warp are zeroed, multiplied, and stored as they are");
};

export function linesOfTile(stmt: Define | Assign | Store, context: WgslContext): Lines {
  if (stmt.kind === "store") return storeLines(stmt, context);
  const operand = stmt.kind === "define" ? context.tiles.operands.get(stmt.name) : undefined;
  const name = context.names(stmt.name);
  if (operand) return operandLines(stmt.value, operand, name, context);
  return stmt.kind === "define" ? sumLines(stmt, name, context) : setLines(name, stmt.value, context);
}

function sumLines(stmt: Define, name: string, context: WgslContext): Lines {
  const sum = context.tiles.sums.get(stmt.name);
  if (!sum || !isZeros(stmt.value)) return refuse("a tile begins with something else than zeros");
  const { matrix } = context.tiles.share!;
  const type = `subgroup_matrix_result<${sum}, ${matrix.columns}, ${matrix.rows}>`;
  return heldSums(context).map(([row, column]) => `var ${name}_${row}_${column} = ${type}();`);
}

/** Numbers of the matrices of sums that a subgroup holds. */
function heldSums({ tiles }: WgslContext): readonly (readonly [number, number])[] {
  const { rows, columns } = tiles.share!;
  return upTo(rows).flatMap((row) => upTo(columns).map((column) => [row, column] as const));
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

function setLines(name: string, value: Expr, context: WgslContext): Lines {
  const text = value.kind === "intrinsic" ? productOf(value) : null;
  if (value.kind !== "intrinsic" || !text) return refuse("a tile is set to something else than a product");
  const [sums, left, right] = value.operands;
  if (sums?.kind !== "local" || context.names(sums.name) !== name) return refuse("a product is added to other sums");
  const [a, b] = [
    operandOf(left!, { side: "left", text }, context),
    operandOf(right!, { side: "right", text }, context),
  ];
  const { depth } = context.tiles.share!.matrix;
  const steps = warpDepth(left!.dtype as DType) / depth;
  const products = upTo(steps).flatMap((step) =>
    heldSums(context).map(([row, column]) => {
      const sum = `${name}_${row}_${column}`;
      return `${sum} = subgroupMatrixMultiplyAccumulate(${a.name}_${row}_${step}, ${b.name}_${step}_${column}, ${sum});`;
    }),
  );
  const lines = [...a.lines, ...b.lines, ...products];
  return a.lines.length + b.lines.length === 0 ? lines : ["{", ...lines.map((line) => `  ${line}`), "}"];
}

function operandOf(
  value: Expr,
  operand: TileOperand,
  context: WgslContext,
): { readonly name: string; readonly lines: Lines } {
  if (value.kind === "local") {
    if (context.tiles.operands.get(value.name)?.side !== operand.side)
      refuse("a tile is both a left and a right operand");
    return { name: context.names(value.name), lines: [] };
  }
  const name = context.fresh("tile");
  return { name, lines: operandLines(value, operand, name, context) };
}

/** Loads of the matrices of an operand that a subgroup needs for its sums. */
function operandLines(value: Expr, { side, text }: TileOperand, name: string, context: WgslContext): Lines {
  const form = value.kind === "load" ? context.forms.get(value.buffer) : undefined;
  if (value.kind !== "load" || form?.buffer.memory !== "group") {
    return refuse("an operand lies outside of the memory of the group");
  }
  const share = context.tiles.share!;
  const { matrix } = share;
  const depth = warpDepth(value.dtype as DType);
  const isTurned = side === "right" && text.isAlongDepth;
  const rows = rowsOf(value, side === "left" || text.isAlongDepth ? depth : warpTile, form.width, context);
  const load = (shape: string, down: Steps, along: Steps): string => {
    const type = `subgroup_matrix_${side}<${elementType(value.dtype)}, ${shape}>, ${isTurned ? "col" : "row"}_major`;
    return `subgroupMatrixLoad<${type}>(&${context.bufferName(value.buffer)}, ${rows.at(down, along)}, ${rows.apart}u)`;
  };
  return upTo(depth / matrix.depth).flatMap((step) => {
    const inDepth: Steps = { count: String(step), size: matrix.depth };
    if (side === "left") {
      return upTo(share.rows).map((row) => {
        const down: Steps = { count: sumOf(share.firstRow, row), size: matrix.rows };
        return `let ${name}_${row}_${step} = ${load(`${matrix.depth}, ${matrix.rows}`, down, inDepth)};`;
      });
    }
    return upTo(share.columns).map((column) => {
      const across: Steps = { count: sumOf(share.firstColumn, column), size: matrix.columns };
      const [down, along] = isTurned ? [across, inDepth] : [inDepth, across];
      return `let ${name}_${step}_${column} = ${load(`${matrix.columns}, ${matrix.depth}`, down, along)};`;
    });
  });
}

/** Text of a number of matrices, and the elements of one. */
interface Steps {
  readonly count: string;
  readonly size: number;
}

const sumOf = (text: string, by: number): string => (text === "0" ? String(by) : by === 0 ? text : `${text} + ${by}`);

function elementType(dtype: Expr["dtype"]): string {
  switch (dtype) {
    case "f16":
    case "i8":
    case "u8":
      return dtype;
    default:
      return refuse(`there are no matrices of ${dtype}`);
  }
}

/** Rows of a tile in an array, in elements of that array. */
interface TileRows {
  readonly apart: number;
  /** Index of a matrix of the tile. */
  readonly at: (down: Steps, along: Steps) => string;
}

/**
 * Where the rows of a tile lie.
 *
 * @param columns elements of a row
 * @param width elements of the tile that an element of the array has
 */
function rowsOf({ indices, active }: Load | Store, columns: number, width: number, context: WgslContext): TileRows {
  const [index] = indices;
  if (index?.kind !== "ramp" || active) return refuse("a tile does not lie in rows");
  const inner = index.base.kind === "ramp" ? index.base : index;
  const isNested = inner !== index;
  const start = dividedIndex(inner.base, width);
  const apart = (isNested ? index.stride : columns) / width;
  if (inner.stride !== 1 || (isNested && lanesOf(inner) !== columns) || start?.at !== 0 || !Number.isInteger(apart)) {
    return refuse("rows of a tile do not begin at words");
  }
  const first = bound(wgslExpr(start.quotient, null, context), context);
  const times = ({ count }: Steps, by: number): string => (count === "0" ? "" : ` + (${count}) * ${by}`);
  return {
    apart,
    at: (down, along) => `u32(${first}${times(down, down.size * apart)}${times(along, along.size / width)})`,
  };
}

function storeLines(stmt: Store, context: WgslContext): Lines {
  const { value, buffer } = stmt;
  if (value.kind !== "local" || context.tiles.operands.has(value.name)) return refuse("a part of a tile is computed");
  const rows = rowsOf(stmt, warpTile, 1, context);
  const { matrix, firstRow, firstColumn } = context.tiles.share!;
  return heldSums(context).map(([row, column]) => {
    const down = { count: sumOf(firstRow, row), size: matrix.rows };
    const along = { count: sumOf(firstColumn, column), size: matrix.columns };
    const sum = `${context.names(value.name)}_${row}_${column}`;
    return `subgroupMatrixStore<row_major>(&${context.bufferName(buffer)}, ${rows.at(down, along)}, ${sum}, ${rows.apart}u);`;
  });
}
