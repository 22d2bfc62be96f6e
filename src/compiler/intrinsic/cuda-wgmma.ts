// Products of tiles by the tensor cores of Hopper, one for the four warps of a group: 64 rows by any multiple of 64 columns, of a depth of 32
// bytes: 16 halves, summed in f32, or 32 bytes, summed in i32. The operands stay in the memory of the group, in panels whose rows have 128 bytes:
//
//   halves   A[deep / 64][row][deep % 64]       B[column / 64][deep][column % 64]       panels at any distance
//   bytes    A[deep / 128][row][deep % 128]     B[deep / 128][column][deep % 128]       B lies along the depth too
//
// The instruction runs on while the threads do other things; `pipeline-loops.ts` says when it is waited for. It wants the pieces of
// 16 bytes in a row swapped by the number of the row (the swizzle of 128 bytes), which is how the printer places such a buffer.

import { byteSize, type DType } from "../expr/dtype.ts";
import { localBuffer } from "../ir/buffer.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Expr, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { type TensorOperands, tensorOperands } from "./tensor-operands.ts";

const [depthBytes, panelBytes] = [32, 128];

/** Rows of a product, the lanes that hold a tile of sums together, its depth, and the elements of a row of a panel, for operands of a type. */
export const groupTile = {
  rows: 64,
  lanes: 128,
  depth: (operand: DType): number => depthBytes / byteSize[operand],
  panel: (operand: DType): number => panelBytes / byteSize[operand],
} as const;

/** Text of the instruction, for the CUDA printer. */
export interface GroupProductText {
  readonly kind: "group-product";
  readonly columns: number;
  /** Types of the operands in PTX: of both, or of the left and the right one. */
  readonly operands: TensorOperands["operands"];
  /** Whether rows of the right operand run along the depth; else they run along the columns. */
  readonly isAlongDepth: boolean;
}

const { rows } = groupTile;

const times = (name: string, by: number): Expr => mul(variable(name), constInt(by));
const sum = (...terms: readonly Expr[]): Expr => terms.reduce(add);

function meaningOf(name: string, product: TensorOperands, columns: number): LoopFunc {
  const [depth, panel] = [groupTile.depth(product.left), groupTile.panel(product.left)];
  const tile = (of: string, dtype: DType, length: number) => localBuffer({ name: of, dtype, shape: [length] });
  const [C, A, B] = [
    tile("C", product.sum, rows * columns),
    tile("A", product.left, rows * depth),
    tile("B", product.right, depth * columns),
  ];
  const isExact = product.sum === "i32";
  const isWide = !isExact && columns > panel;
  const inPanel = (by: number): readonly Expr[] => (isWide ? [times("panel", by)] : []);
  const at = sum(times("row", columns), ...inPanel(panel), variable("column"));
  const left = loadOf(A, [sum(times("row", depth), variable("step"))]);
  const right = isExact
    ? loadOf(B, [sum(times("column", depth), variable("step"))])
    : loadOf(B, [sum(...inPanel(depth * panel), times("step", panel), variable("column"))]);
  const update = store(C, [at], add(loadOf(C, [at]), mul(cast(product.sum, left), cast(product.sum, right))));
  const loops: readonly (readonly [string, number])[] = [
    ["row", rows],
    ...(isWide ? ([["panel", columns / panel]] as const) : []),
    ["column", isWide ? panel : columns],
    ["step", depth],
  ];
  return {
    name: name.replaceAll(/\W/g, "_"),
    buffers: [C, A, B],
    body: loops.reduceRight<Stmt>((body, [loop, extent]) => forLoop(loop, extent, body), update),
  };
}

const widths = [64, 128, 192, 256] as const;

export const cudaWgmma: readonly Intrinsic[] = tensorOperands.flatMap((product) =>
  widths.map((columns): Intrinsic => {
    const { operands } = product;
    const exact = product.sum === "i32";
    const text: GroupProductText = { kind: "group-product", columns, operands, isAlongDepth: exact };
    const name = `wgmma.m64n${columns}k${groupTile.depth(product.left)}.${operands.replace("_", ".")}`;
    return {
      name,
      features: ["sm_90a"],
      meaning: meaningOf(name, product, columns),
      exact,
      operands: "tiles",
      text: { cuda: text },
    };
  }),
);
