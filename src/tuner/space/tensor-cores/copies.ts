// Operands of a product in the memory of a group: copied step by step by all threads of the group, eight elements each. Rows in it
// are eight elements longer, so that the rows of a tile lie in different banks.
//
//   rows × columns / 8 → parts of one loop: .0 unrolled, .1 warps along z, .2 warps along y, .3 lanes; eight elements as a vector

import type { CopiedReads, Instruction, Operand } from "../../../compiler/index.ts";
import type { Access, SchedulableStage } from "../draft/schedulable-stage.ts";
import { lanesOfWarp, warpsOf } from "./group-tiles.ts";
import { padding } from "./limits.ts";
import type { WarpProduct } from "./warp-product.ts";

/** Elements of 16 bytes, which a thread copies at once. */
const vector = 8;

export const copies = (product: WarpProduct, step: string): readonly Instruction<Operand>[] =>
  [product.left, product.right].flatMap((access) => copyOf(access, product, step));

function copyOf(access: Access, product: WarpProduct, step: string): readonly Instruction<Operand>[] {
  const { stage, rows, columns } = product;
  const { buffer, dims } = access;
  const reads = copiedReads(stage, access);
  const pack = reads?.copy ?? `${buffer}.pack`;
  const [down, along] = [dims.length - 2, dims.length - 1];
  const layout = dims.map((_, dim) => ({ dim, part: "whole", tile: 1 }) as const);
  const chunks = `${pack}.${down}+${pack}.${along}.0`;
  const warps = [rows, columns].map((axis) => ({ tunable: warpsOf(axis) }));
  return [
    { kind: "cache-read", buffer, loop: step, layout, ...(reads && { reads }) },
    { kind: "set-scope", buffer: pack, scope: "group" },
    { kind: "storage-align", buffer: pack, dim: down, factor: 2 * padding, offset: padding },
    { kind: "split", loop: `${pack}.${along}`, factors: [0, vector], tail: "perfect" },
    { kind: "fuse", outer: `${pack}.${down}`, inner: `${pack}.${along}.0` },
    { kind: "split", loop: chunks, factors: [0, ...warps, lanesOfWarp], tail: "perfect" },
    { kind: "bind", loop: `${chunks}.1`, axis: "threadIdx.z" },
    { kind: "bind", loop: `${chunks}.2`, axis: "threadIdx.y" },
    { kind: "bind", loop: `${chunks}.3`, axis: "threadIdx.x" },
    { kind: "vectorize", loop: `${pack}.${along}.1` },
    ...[...dims.keys()].slice(0, down).map((dim) => ({ kind: "unroll", loop: `${pack}.${dim}` }) as const),
    { kind: "unroll", loop: `${chunks}.0` },
  ];
}

/** A buffer that others read too has a copy of its own for this product. */
const copiedReads = ({ name, block }: SchedulableStage, { id, pattern, isSole }: Access): CopiedReads | null =>
  isSole ? null : { block: block.name, pattern, copy: `${id}.pack.${name}` };
