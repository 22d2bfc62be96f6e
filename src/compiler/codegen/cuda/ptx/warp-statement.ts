// Statements on tiles that the lanes of a warp hold together → PTX. A tile of sums is eight registers of each lane, an operand of a product four
// words, which ldmatrix brings from the memory of the group, or the descriptor of its panels.

import { groupTile } from "../../../intrinsic/cuda-wgmma.ts";
import { add, constInt, mul } from "../../../ir/build.ts";
import type { Assign, Define, Expr, IntrinsicCall, Load, Store } from "../../../ir/loop-ir.ts";
import { lanesOf } from "../../../ir/visit.ts";
import { elementAt } from "../plan/lane.ts";
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
import { addressText } from "./address.ts";
import { elementName, type PtxContext } from "./context.ts";
import { constant, type Value } from "./emitter.ts";
import { elementAddress, evaluate, localNamed } from "./expression.ts";
import { inLane, tilePiece, tileRow } from "./lane-expression.ts";
import { int, kindOf } from "./registers.ts";
import { storeVector } from "./vectors.ts";

const listOf = (values: readonly Value[]): string => `{${values.map(({ text }) => text).join(", ")}}`;

export function printTileDefine(stmt: Define, context: PtxContext): void {
  const operand = context.facts.operands.get(stmt.name);
  if (operand) {
    const values = printOperand(stmt.value, operand, context);
    for (const [at, value] of values.entries()) context.locals.set(elementName(stmt.name, at), value);
    return;
  }
  // Products add to the registers of a tile where they are.
  for (const element of elementsOf(stmt.lanes)) {
    context.locals.set(elementName(stmt.name, element), context.emitter.variable(kindOf[stmt.dtype]));
  }
  setTile(stmt.name, stmt.value, context);
}

export const printTileAssign = (stmt: Assign, context: PtxContext): void => setTile(stmt.name, stmt.value, context);

function setTile(name: string, value: Expr, context: PtxContext): void {
  if (value.kind === "intrinsic") {
    printProduct(name, value, context);
    return;
  }
  const tile = lanesOf(value);
  for (const element of elementsOf(tile)) {
    const result = evaluate(inLane(value, elementAt(element, tile), context.loaded), context);
    const register = localNamed(elementName(name, element), context);
    context.emitter.lines(`mov.${register.kind} ${register.text}, ${result.text};`);
    context.emitter.changed(register);
  }
}

// ── products ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function printProduct(name: string, call: IntrinsicCall, context: PtxContext): void {
  const [own, left, right] = call.operands;
  if (own?.kind !== "local" || own.name !== name) refuseTile("a product is added to other sums");
  const text = productOf(call);
  const a = operandOf(left!, { side: "left", text }, context);
  const b = operandOf(right!, { side: "right", text }, context);
  const sums = elementsOf(call.lanes).map((at) => localNamed(elementName(name, at), context));
  if (text.kind === "group-product") printGroupProduct(sums, a[0]!, b[0]!, text, context);
  else printWarpProduct(sums, a, b, text, context);
  context.emitter.changed(...sums);
}

const typesOf = (operands: string): readonly [left: string, right: string] => {
  const [left, right = left] = operands.split("_");
  return [left!, right!];
};

/** Products of 64 rows by any columns, of operands in memory. Halves are multiplied by 1, and of B they lie along the columns. */
function printGroupProduct(
  sums: readonly Value[],
  a: Value,
  b: Value,
  { operands, columns }: TileOperand["text"] & { readonly kind: "group-product" },
  { emitter }: PtxContext,
): void {
  const [left, right] = typesOf(operands);
  const areHalves = left.endsWith("f16");
  const shape = `m64n${columns}k${areHalves ? groupTile.depth("f16") : groupTile.depth("i8")}`;
  const types = `${areHalves ? "f32" : "s32"}.${left}.${right}`;
  const flags = areHalves ? "1, 1, 1, 0, 1" : "1";
  emitter.lines(`wgmma.mma_async.sync.aligned.${shape}.${types} ${listOf(sums)}, ${a.text}, ${b.text}, ${flags};`);
}

/**
 * Products of 16×16 tiles: two instructions, for the left and the right half of the columns. Of halves a half of B lies in words that follow each
 * other; bytes were loaded by their columns, eight after eight, and so are their words.
 */
function printWarpProduct(
  sums: readonly Value[],
  a: readonly Value[],
  b: readonly Value[],
  { operands }: TileOperand["text"],
  { emitter }: PtxContext,
): void {
  const [left, right] = typesOf(operands);
  const areHalves = left.endsWith("f16");
  const shape = areHalves ? `m16n8k16.row.col.f32.${left}.${right}.f32` : `m16n8k32.row.col.s32.${left}.${right}.s32`;
  const words = areHalves ? [0, 1, 2, 3] : [0, 2, 1, 3];
  for (const half of [0, 1]) {
    const own = listOf(sums.slice(4 * half, 4 * half + 4));
    const column = listOf(words.slice(2 * half, 2 * half + 2).map((word) => b[word]!));
    emitter.lines(`mma.sync.aligned.${shape} ${own}, ${listOf(a)}, ${column}, ${own};`);
  }
}

// ── operands ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function operandOf(value: Expr, operand: TileOperand, context: PtxContext): readonly Value[] {
  if (value.kind !== "local") return printOperand(value, operand, context);
  if (context.facts.operands.get(value.name)?.side !== operand.side) {
    refuseTile("a tile is both a left and a right operand");
  }
  const count = operand.text.kind === "group-product" ? 1 : operandWords;
  return Array.from({ length: count }, (_, at) => localNamed(elementName(value.name, at), context));
}

/** Words of an operand that a lane has. */
const operandWords = 4;

/** Loads of a tile, or its descriptor for a product that reads memory itself. */
function printOperand(value: Expr, operand: TileOperand, context: PtxContext): readonly Value[] {
  const load = operandLoad(value, context.facts.group);
  if (operand.text.kind === "group-product") return [descriptorOf(load, operand, context)];
  const { base, apart, piece, isAcross } = rowsOf(load, operand);
  const index = add(add(base, mul(tileRow, constInt(apart))), mul(tilePiece, constInt(piece)));
  const address = elementAddress(load.buffer, index, load.dtype, context);
  const words = Array.from({ length: operandWords }, () => context.emitter.register("b32"));
  const across = isAcross ? ".trans" : "";
  context.emitter.lines(`ldmatrix.sync.aligned.m8n8.x4${across}.shared.b16 ${listOf(words)}, ${addressText(address)};`);
  return words;
}

/**
 * Descriptor of an operand in panels: sixteenths of its address and of the distance of panels, 1024 bytes from eight rows to the next, the swizzle
 * of 128 bytes. Source: PTX ISA, "Matrix Descriptor Format".
 */
function descriptorOf(load: Load, operand: TileOperand, context: PtxContext): Value {
  const { compute } = context.emitter;
  const { base: index, apart } = panelOf(load, operand);
  const facts = { ...context.facts, swizzled: new Map<string, number>() };
  const { base, offset } = elementAddress(load.buffer, index, load.dtype, { ...context, facts });
  const start = compute("cvt.u64.u32", "b64", [compute("shr.u32", "b32", [base, int(4)], true)], true);
  const rest = (BigInt(apart >> 4) << 16n) | (64n << 32n) | (1n << 62n);
  return compute("add.s64", "b64", [start, constant("b64", (rest + BigInt(offset >> 4)).toString())], true);
}

// ── stores ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Neighbouring columns of a lane are stored together. */
export function printTileStore(stmt: Store, context: PtxContext): void {
  refuseStore(stmt, context.facts.panels);
  const index = stmt.indices[0]!;
  const { dtype } = stmt.value;
  const tile = lanesOf(stmt.value);
  const at = (expr: Expr, element: number): Expr => inLane(expr, elementAt(element, tile), context.loaded);
  const together = arePairs(index) ? 2 : 1;
  for (const element of elementsOf(tile)) {
    if (element % together !== 0) continue;
    const values = Array.from({ length: together }, (_, each) => evaluate(at(stmt.value, element + each), context));
    const address = elementAddress(stmt.buffer, at(index, element), dtype, context);
    storeVector(`st.${context.placeOf(stmt.buffer).space}`, dtype, values, address, context);
  }
}
