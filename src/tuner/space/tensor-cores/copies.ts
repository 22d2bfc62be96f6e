// Operands of a product in the memory of a group: copied step by step by all threads of the group, 16 bytes each. Rows in it are
// 16 bytes longer, so that the rows of a tile lie in different banks; panels of 64 elements have their own way for that.
//
//   rows × pieces of 16 bytes → parts of one loop: .0 unrolled, .1 warps along z, .2 warps along y, .3 lanes; a piece is a vector
//   pieces × rows, where the copy is turned: lanes side by side read neighbours, one byte of each of sixteen rows
//   panels, rows of a panel → .0 unrolled, .1 along z, .2 along y, .3 sixteen, with the eight pieces of a row as lanes
//   boxes, which are panels too → one thread has all rows of a panel copied at once

import type { CopiedReads, Instruction, Operand } from "../../../compiler/index.ts";
import { gpuSizes } from "../../prior/tensor-core-sizes.ts";
import type { Access, SchedulableStage } from "../draft/schedulable-stage.ts";
import { warpsOf } from "./group-tiles.ts";
import type { WarpProduct } from "./warp-product.ts";

const { pieceBytes, panelRows } = gpuSizes;

/** Elements that a thread copies at once. */
const pieceOf = ({ tile }: WarpProduct): number => pieceBytes / tile.bytes;

export const copies = (product: WarpProduct, step: string): readonly Instruction<Operand>[] =>
  [product.left, product.right].flatMap((access) =>
    product.tile.panel === null ? copyOf(access, product, step) : panelsOf(access, product, product.tile.panel, step),
  );

function copyOf(access: Access, product: WarpProduct, step: string): readonly Instruction<Operand>[] {
  const { stage, rows, columns, turned } = product;
  const { buffer, dims } = access;
  const piece = pieceOf(product);
  const reads = copiedReads(stage, access);
  const pack = reads?.copy ?? `${buffer}.pack`;
  const [down, along] = [dims.length - 2, dims.length - 1];
  const isTurned = turned.includes(access);
  const matrix = isTurned ? [along, down] : [down, along];
  const layout = [...dims.keys()]
    .slice(0, down)
    .concat(matrix)
    .map((dim) => ({ dim, part: "whole", tile: 1 }) as const);
  const [lines, pieces] = [`${pack}.${down}`, `${pack}.${along}.0`];
  const [outer, inner] = isTurned ? ([pieces, lines] as const) : ([lines, pieces] as const);
  const chunks = `${outer}+${inner}`;
  const warps = [rows, columns].map((axis) => ({ tunable: warpsOf(axis) }));
  return [
    { kind: "cache-read", buffer, loop: step, layout, ...(reads && { reads }) },
    { kind: "set-scope", buffer: pack, scope: "group" },
    { kind: "storage-align", buffer: pack, dim: down, factor: 2 * piece, offset: piece },
    { kind: "split", loop: `${pack}.${along}`, factors: [0, piece], tail: "perfect" },
    ...(isTurned ? [{ kind: "reorder", loops: [pieces, lines] } as const] : []),
    { kind: "fuse", outer, inner },
    { kind: "split", loop: chunks, factors: [0, ...warps, product.tile.lanes], tail: "perfect" },
    { kind: "bind", loop: `${chunks}.1`, axis: "threadIdx.z" },
    { kind: "bind", loop: `${chunks}.2`, axis: "threadIdx.y" },
    { kind: "bind", loop: `${chunks}.3`, axis: "threadIdx.x" },
    { kind: "vectorize", loop: `${pack}.${along}.1` },
    ...[...dims.keys()].slice(0, down).map((dim) => ({ kind: "unroll", loop: `${pack}.${dim}` }) as const),
    { kind: "unroll", loop: `${chunks}.0` },
  ];
}

function panelsOf(access: Access, product: WarpProduct, panel: number, step: string): readonly Instruction<Operand>[] {
  const { stage, rows, columns } = product;
  const { buffer, dims } = access;
  const reads = copiedReads(stage, access);
  const pack = reads?.copy ?? `${buffer}.pack`;
  const [down, along] = [dims.length - 2, dims.length - 1];
  const outer = Array.from({ length: down }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const);
  const layout = [
    ...outer,
    { dim: along, part: "outer", tile: panel },
    { dim: down, part: "whole", tile: 1 },
    { dim: along, part: "inner", tile: panel },
  ] as const;
  const [panels, lines, pieces] = [down, down + 1, down + 2].map((at) => `${pack}.${at}`) as [string, string, string];
  const outside = [...outer.map(({ dim }) => `${pack}.${dim}`), panels];
  const copied: readonly Instruction<Operand>[] = [
    { kind: "cache-read", buffer, loop: step, layout, ...(reads && { reads }) },
    { kind: "set-scope", buffer: pack, scope: "group" },
  ];
  if (product.copying !== "by threads") {
    return [
      ...copied,
      { kind: "annotate", loop: lines, key: "warp", value: 1 },
      ...outside.map((loop) => ({ kind: "unroll", loop }) as const),
    ];
  }
  const warps = [rows, columns].map((axis) => ({ tunable: warpsOf(axis) }));
  const unrolled = [...outside, `${lines}.0`];
  return [
    ...copied,
    { kind: "split", loop: pieces, factors: [0, pieceOf(product)], tail: "perfect" },
    { kind: "split", loop: lines, factors: [0, ...warps, panelRows], tail: "perfect" },
    {
      kind: "reorder",
      loops: [panels, ...[0, 1, 2, 3].map((level) => `${lines}.${level}`), `${pieces}.0`, `${pieces}.1`],
    },
    { kind: "fuse", outer: `${lines}.3`, inner: `${pieces}.0` },
    { kind: "bind", loop: `${lines}.1`, axis: "threadIdx.z" },
    { kind: "bind", loop: `${lines}.2`, axis: "threadIdx.y" },
    { kind: "bind", loop: `${lines}.3+${pieces}.0`, axis: "threadIdx.x" },
    { kind: "vectorize", loop: `${pieces}.1` },
    ...unrolled.map((loop) => ({ kind: "unroll", loop }) as const),
  ];
}

/** A buffer that others read too has a copy of its own for this product. */
const copiedReads = ({ name, block }: SchedulableStage, { id, pattern, isSole }: Access): CopiedReads | null =>
  isSole ? null : { block: block.name, pattern, copy: `${id}.pack.${name}` };
