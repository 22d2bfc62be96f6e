// Products of tiles by the tensor cores of Hopper, one for the four warps of a group: 64 rows by any multiple of 64 columns,
// 16 deep, summed in f32. The operands stay in the memory of the group, in panels of 64 elements, 128 bytes, a row:
//
//   A[deep / 64][row][deep % 64]     B[column / 64][deep][column % 64]      panels at any distance
//
// The instruction runs on while the threads do other things; `pipeline-loops.ts` says when it is waited for. It wants the pieces of
// 16 bytes in a row swapped by the number of the row (the swizzle of 128 bytes), which is how the printer places such a buffer.

import { localBuffer } from "../ir/buffer.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Expr, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import type { Intrinsic } from "./intrinsic.ts";

/** Rows of a product, its depth, the elements of a row of a panel, and the lanes that hold a tile of sums together. */
export const groupTile = { rows: 64, depth: 16, panel: 64, lanes: 128 } as const;

/** Text of the instruction, for the CUDA printer. */
export interface GroupProductText {
  readonly kind: "group-product";
  readonly columns: number;
  /** Type of the operands in PTX. */
  readonly operands: "f16" | "bf16";
}

const { rows, depth, panel } = groupTile;

const times = (name: string, by: number): Expr => mul(variable(name), constInt(by));
const sum = (...terms: readonly Expr[]): Expr => terms.reduce(add);

function product(name: string, dtype: "f16" | "bf16", columns: number): LoopFunc {
  const tile = (of: string, type: "f32" | "f16" | "bf16", length: number) =>
    localBuffer({ name: of, dtype: type, shape: [length] });
  const [C, A, B] = [
    tile("C", "f32", rows * columns),
    tile("A", dtype, rows * depth),
    tile("B", dtype, depth * columns),
  ];
  const isWide = columns > panel;
  const inPanel = (by: number): readonly Expr[] => (isWide ? [times("panel", by)] : []);
  const at = sum(times("row", columns), ...inPanel(panel), variable("column"));
  const left = loadOf(A, [sum(times("row", depth), variable("step"))]);
  const right = loadOf(B, [sum(...inPanel(depth * panel), times("step", panel), variable("column"))]);
  const update = store(C, [at], add(loadOf(C, [at]), mul(cast("f32", left), cast("f32", right))));
  const loops: readonly (readonly [string, number])[] = [
    ["row", rows],
    ...(isWide ? ([["panel", columns / panel]] as const) : []),
    ["column", panel],
    ["step", depth],
  ];
  return {
    name: name.replaceAll(/\W/g, "_"),
    buffers: [C, A, B],
    body: loops.reduceRight<Stmt>((body, [loop, extent]) => forLoop(loop, extent, body), update),
  };
}

const widths = [64, 128, 192, 256] as const;

export const cudaWgmma: readonly Intrinsic[] = (["f16", "bf16"] as const).flatMap((dtype) =>
  widths.map((columns): Intrinsic => {
    const text: GroupProductText = { kind: "group-product", columns, operands: dtype };
    const name = `wgmma.m64n${columns}k16.${dtype}`;
    return {
      name,
      features: ["sm_90a"],
      meaning: product(name, dtype, columns),
      exact: false,
      operands: "tiles",
      text: { cuda: text },
    };
  }),
);
