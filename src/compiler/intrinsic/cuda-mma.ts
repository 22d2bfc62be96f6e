// Products of tiles by the tensor cores of NVIDIA's GPUs, one for all lanes of a warp: 16 rows by 16 columns, of a depth of 32 bytes. Two
// instructions compute it, mma.sync.m16n8k16 on halves and mma.sync.m16n8k32 on bytes.
//
//   C[row, column] += A[row, step] · B[step, column]      halves, summed in f32
//   C[row, column] += A[row, step] · B[column, step]      bytes, summed in i32: B lies along the depth too
//
// Products of halves are exact, and sums are rounded towards zero somewhere, so they are for numerics "fast". Those of bytes are exact.
// Layouts: PTX ISA 8.4, "Matrix Fragments for mma.m16n8k16" and "… mma.m16n8k32".

import { byteSize, type DType } from "../expr/dtype.ts";
import { localBuffer } from "../ir/buffer.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Buffer, Expr, LoopFunc } from "../ir/loop-ir.ts";
import { product } from "../support/integer-math.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { type TensorOperands, tensorOperands } from "./tensor-operands.ts";

/** Rows and columns of a product. */
export const warpTile = 16;

/** Bytes of a row of an operand that runs along the depth. */
const depthBytes = 32;

/** Lanes of a warp, which hold a tile together. */
export const warpLanes = 32;

/** Text of an instruction on tiles of a warp, for the CUDA printer. */
export interface WarpProductText {
  readonly kind: "warp-product";
  /** Types of the operands in PTX: of both, or of the left and the right one. */
  readonly operands: TensorOperands["operands"];
  /** Whether rows of the right operand run along the depth; else they run along the columns. */
  readonly isAlongDepth: boolean;
}

/** Depth of a product of operands of a type. */
export const warpDepth = (operand: DType): number => depthBytes / byteSize[operand];

const place = (row: string, column: string, columns: number): Expr =>
  add(mul(variable(row), constInt(columns)), variable(column));

const tile = (name: string, dtype: DType, sides: readonly number[]): Buffer =>
  localBuffer({ name, dtype, shape: [product(sides)] });

export const cudaMma: readonly Intrinsic[] = tensorOperands.map((it) => {
  const isExact = it.sum === "i32";
  const text: WarpProductText = { kind: "warp-product", operands: it.operands, isAlongDepth: isExact };
  const name = `mma.m16n16k${warpDepth(it.left)}.${it.operands.replace("_", ".")}`;
  return {
    name,
    features: ["sm_80"],
    meaning: meaningOf(name, it, text),
    exact: isExact,
    operands: "tiles",
    text: { cuda: text },
  };
});

function meaningOf(name: string, { left, right, sum }: TensorOperands, { isAlongDepth }: WarpProductText): LoopFunc {
  const depth = warpDepth(left);
  const [C, A] = [tile("C", sum, [warpTile, warpTile]), tile("A", left, [warpTile, depth])];
  const B = tile("B", right, isAlongDepth ? [warpTile, depth] : [depth, warpTile]);
  const at = place("row", "column", warpTile);
  const element = isAlongDepth ? place("column", "step", depth) : place("step", "column", warpTile);
  const gain = mul(cast(sum, loadOf(A, [place("row", "step", depth)])), cast(sum, loadOf(B, [element])));
  const update = store(C, [at], add(loadOf(C, [at]), gain));
  const loops = [
    ["row", warpTile],
    ["column", warpTile],
    ["step", depth],
  ] as const;
  return {
    name: name.replaceAll(/\W/g, "_"),
    buffers: [C, A, B],
    body: loops.reduceRight<LoopFunc["body"]>((body, [loop, extent]) => forLoop(loop, extent, body), update),
  };
}
