// The layout of a packed or laid-out buffer: the dimensions of another, each whole or cut into tiles, in a new order.
// A dimension that is cut is rounded up to whole tiles.
//
//   [1/48] [0] [1%48]: of 97×83 elements the copy is 2×97×48; element (k, j) is at (j floorDiv 48, k, j mod 48)

import { constInt, floorDiv, mod } from "../ir/build.ts";
import type { Buffer, Expr } from "../ir/loop-ir.ts";
import { ceilDiv } from "../support/integer-math.ts";
import type { LayoutDim } from "./trace.ts";

export type Layout = readonly LayoutDim<number>[];

export const printLayout = (layout: Layout): string => layout.map(printDim).join(" ");

const printDim = ({ dim, part, tile }: LayoutDim<number>): string =>
  part === "whole" ? `[${dim}]` : part === "outer" ? `[${dim}/${tile}]` : `[${dim}%${tile}]`;

/** Says why it is no layout of the buffer; null: it is one. */
export function layoutProblem(layout: Layout, { name, shape }: Buffer): string | null {
  for (const dim of shape.keys()) {
    const parts = layout.filter((it) => it.dim === dim);
    const kinds = parts.map((it) => it.part).sort();
    const whole = kinds.length === 1 && kinds[0] === "whole";
    const tiled =
      kinds.length === 2 && kinds[0] === "inner" && kinds[1] === "outer" && parts[0]!.tile === parts[1]!.tile;
    if (!whole && !tiled) return `dimension ${dim} of ${name} is not listed once whole, or once outer and once inner`;
    if (parts.some((it) => !Number.isInteger(it.tile) || it.tile < 1)) return `a tile of dimension ${dim} is below 1`;
  }
  return layout.some((it) => it.dim >= shape.length) ? `${name} has ${shape.length} dimensions` : null;
}

/** Shape of what is laid out, from the extents of what it holds. */
export const layoutShape = (layout: Layout, extents: readonly number[]): number[] =>
  layout.map(({ dim, part, tile }) => {
    const extent = extents[dim]!;
    return part === "whole" ? extent : part === "outer" ? ceilDiv(extent, tile) : tile;
  });

export const layoutIndices = (layout: Layout, indices: readonly Expr[]): Expr[] =>
  layout.map(({ dim, part, tile }) => {
    const index = indices[dim]!;
    return part === "whole" ? index : (part === "outer" ? floorDiv : mod)(index, constInt(tile));
  });
