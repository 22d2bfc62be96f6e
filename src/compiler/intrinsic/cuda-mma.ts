// Products of tiles by the tensor cores of NVIDIA's GPUs, one for all lanes of a warp: 16×16 by 16×16, summed in f32. Two
// instructions mma.sync.m16n8k16 compute it.
//
// Products are exact, and sums are rounded towards zero somewhere, so they are for numerics "fast".

import type { DType } from "../expr/dtype.ts";
import { localBuffer } from "../ir/buffer.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Buffer, Expr, LoopFunc } from "../ir/loop-ir.ts";
import type { Intrinsic } from "./intrinsic.ts";

/** Rows, columns and depth of a product. */
export const warpTile = 16;

/** Lanes of a warp, which hold a tile together. */
export const warpLanes = 32;

/** Text of an instruction on tiles of a warp, for the CUDA printer. */
export interface WarpProductText {
  readonly kind: "warp-product";
  /** Type of the operands in PTX. */
  readonly operands: "f16" | "bf16";
}

const place = (row: string, column: string): Expr => add(mul(variable(row), constInt(warpTile)), variable(column));

const tile = (name: string, dtype: DType): Buffer => localBuffer({ name, dtype, shape: [warpTile * warpTile] });

export const cudaMma: readonly Intrinsic[] = (["f16", "bf16"] as const).map((dtype) => {
  const text: WarpProductText = { kind: "warp-product", operands: dtype };
  const name = `mma.m16n16k16.${dtype}`;
  return {
    name,
    features: ["sm_80"],
    meaning: product(name, dtype),
    exact: false,
    operands: "tiles",
    text: { cuda: text },
  };
});

function product(name: string, dtype: DType): LoopFunc {
  const [C, A, B] = [tile("C", "f32"), tile("A", dtype), tile("B", dtype)];
  const at = place("row", "column");
  const left = cast("f32", loadOf(A, [place("row", "step")]));
  const right = cast("f32", loadOf(B, [place("step", "column")]));
  const update = store(C, [at], add(loadOf(C, [at]), mul(left, right)));
  const loops = ["row", "column", "step"];
  return {
    name: name.replaceAll(/\W/g, "_"),
    buffers: [C, A, B],
    body: loops.reduceRight<LoopFunc["body"]>((body, loop) => forLoop(loop, warpTile, body), update),
  };
}
