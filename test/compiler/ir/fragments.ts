// Flat functions on tiles by hand: what an instruction takes, gives, and must not be given.

import { tileProduct } from "../../../src/compiler/intrinsic/tile-product.ts";
import { parameterBuffer } from "../../../src/compiler/ir/buffer.ts";
import { broadcast, constInt, loadOf, localOf, ramp } from "../../../src/compiler/ir/build.ts";
import type {
  Buffer,
  Expr,
  IntrinsicCall,
  Local,
  LocalMemory,
  LoopFunc,
  Stmt,
} from "../../../src/compiler/ir/loop-ir.ts";

/** Sums of a tile, and bytes of an operand. */
const sums = 256;
const bytes = 1024;

export const A = parameterBuffer({ name: "A", dtype: "i8", shape: [bytes] }, "input");
export const B = parameterBuffer({ name: "B", dtype: "i8", shape: [bytes] }, "input");
export const C = parameterBuffer({ name: "C", dtype: "i32", shape: [sums] }, "output");
export const bytesOf = (buffer: Buffer): Expr => loadOf(buffer, [ramp(constInt(0), 1, bytes)]);

/** A buffer for the sums of one tile. */
export const sumsIn = (name: string, memory: LocalMemory): Buffer => ({
  name,
  dtype: "i32",
  shape: [sums],
  role: "local",
  memory,
});

/** Place of the sums of a tile in a buffer of as many. */
export const tilePlace: readonly Expr[] = [ramp(constInt(0), 1, sums)];
export const zeros: Expr = broadcast(constInt(0), sums);
export const tileLocal = (name: string): Local => localOf(name, "i32", sums);
export const bytesLocal = (name: string): Local => localOf(name, "i8", bytes);

/** Adds the product of two tiles to a third. */
export const product = (sum: Expr, left: Expr = bytesOf(A), right: Expr = bytesOf(B)): IntrinsicCall => ({
  kind: "intrinsic",
  dtype: "i32",
  lanes: sums,
  name: "tdpbssd",
  operands: [sum, left, right],
  meaning: tileProduct("tdpbssd", "i8", "i8", "i32"),
  text: { c: { kind: "tiles", instruction: "tdpbssd" } },
});

export const onTiles = (body: Stmt, ...own: readonly Buffer[]): LoopFunc => ({
  name: "on_tiles",
  buffers: [A, B, C, ...own],
  body,
});
