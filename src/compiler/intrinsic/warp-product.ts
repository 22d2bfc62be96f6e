// Products of tiles that the lanes of a warp hold together: 16 rows by 16 columns, of a depth of 32 bytes. NVIDIA's tensor cores compute them by
// two instructions (cuda-mma.ts), GPUs behind WebGPU by subgroup matrices (wgsl-matrix.ts). What they mean is the same, so one rule plans both.
//
//   C[row, column] += A[row, step] · B[step, column]      halves, summed in f32
//   C[row, column] += A[row, step] · B[column, step]      bytes, summed in i32: B lies along the depth too

import { byteSize, type DType } from "../expr/dtype.ts";
import { localBuffer } from "../ir/buffer.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Buffer, Expr, LoopFunc } from "../ir/loop-ir.ts";
import { product } from "../support/integer-math.ts";
import type { Intrinsic } from "./intrinsic.ts";
import type { TensorOperands } from "./tensor-operands.ts";

/** Rows and columns of a product. */
export const warpTile = 16;

/** Bytes of a row of an operand that runs along the depth. */
const depthBytes = 32;

/** Text of an instruction on tiles of a warp, for the printers of CUDA C and WGSL. */
export interface WarpProductText {
  readonly kind: "warp-product";
  /** Types of the operands in PTX: of both, or of the left and the right one. */
  readonly operands: TensorOperands["operands"];
  /** Whether rows of the right operand run along the depth; else they run along the columns. */
  readonly isAlongDepth: boolean;
}

/** Depth of a product of operands of a type. */
export const warpDepth = (operand: DType): number => depthBytes / byteSize[operand];

/** Text of the product in a family, whichever back end prints it. */
export const warpProductText = ({ operands, sum }: TensorOperands): WarpProductText => ({
  kind: "warp-product",
  operands,
  isAlongDepth: sum === "i32",
});

/** Name of the product in a family: "mma" of halves is mma.m16n16k16.f16. */
export const warpProductName = (family: string, { operands, left }: TensorOperands): string =>
  `${family}.m16n16k${warpDepth(left)}.${operands.replace("_", ".")}`;

/** Returns the text of an intrinsic that is a product of a warp, for any back end; null: it is none. */
export function warpProductOf({ text }: Pick<Intrinsic, "text">): WarpProductText | null {
  const own = Object.values(text).find(
    (it) => (it as { readonly kind?: unknown } | undefined)?.kind === "warp-product",
  );
  return (own as WarpProductText | undefined) ?? null;
}

const place = (row: string, column: string, columns: number): Expr =>
  add(mul(variable(row), constInt(columns)), variable(column));

const tile = (name: string, dtype: DType, sides: readonly number[]): Buffer =>
  localBuffer({ name, dtype, shape: [product(sides)] });

/** Returns the loops over C, A and B that a product stands for. */
export function warpProductMeaning(name: string, operands: TensorOperands): LoopFunc {
  const { left, right, sum } = operands;
  const { isAlongDepth } = warpProductText(operands);
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
