// Rule `tensor-cores`: a product of matrices by the warps of a GPU. A group of threads computes a rectangle of the result; steps of
// the depth are copied to its memory ahead, and its warps add up tiles in registers. A map that finishes the sums is computed on
// their way to memory.
//
//   for b, i.0.0, j.0, i.0.1 fused: blockIdx.x         rectangles; some along the rows run side by side
//     for k.0 (stages)                                 steps, copied ahead
//       for i.1: threadIdx.z, j.1: threadIdx.y         warps
//         for k.1, i.2, j.2 unrolled: mma              tiles of 16 × 16 × 16

import type { AcceleratorTarget, Instruction, LayoutDim, Operand } from "../../../compiler/index.ts";
import { warpTile } from "../../../compiler/index.ts";
import { decide, estimate, fuse, instruct } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { copies } from "./copies.ts";
import { productOf } from "./finished-product.ts";
import { addGroupTiles, neighboursOf, registerOf, stagesOf, unrollOf, warpsOf } from "./group-tiles.ts";
import { hasTiling } from "./has-tiling.ts";
import { limitGroups } from "./limits.ts";
import { productEstimate } from "./product-estimate.ts";
import type { Axis, WarpProduct } from "./warp-product.ts";

export const tensorCores: SpaceRule<AcceleratorTarget> = {
  name: "tensor-cores",

  applies: (stage, context) => productOf(stage, context) !== null,

  apply(draft, stage, context) {
    const found = productOf(stage, context);
    const { target } = context.task;
    if (!found || !hasTiling(found.product, target)) return context.otherwise(draft, stage.name);
    const { product, reader } = found;
    const sums = product.stage.name;
    const fused = reader ? fuse(draft, sums) : draft;
    const named = decide(fused, `${reader ? `${reader.name} with ` : ""}${sums} on tensor cores`);
    const limited = limitGroups(addGroupTiles(named, product), product, target);
    const timed = estimate(limited, productEstimate(product, reader, target));
    return [instruct(timed, ...loops(product), ...sumsInRegisters(product, reader), ...pipelined(product))];
  },
};

const tunables = (...names: readonly string[]): readonly Operand[] => names.map((tunable) => ({ tunable }));

const part = ({ loop }: Axis, ...levels: readonly number[]): string => [loop, ...levels].join(".");

/** The loop over groups of threads, once its parts are fused. */
const groupLoop = ({ batches, rows, columns }: WarpProduct): string =>
  fusedName(groupParts({ batches, rows, columns }));

const groupParts = ({
  batches,
  rows,
  columns,
}: Pick<WarpProduct, "batches" | "rows" | "columns">): readonly string[] => [
  ...batches.map(({ loop }) => loop),
  part(rows, 0, 0),
  part(columns, 0),
  part(rows, 0, 1),
];

const fusedName = (parts: readonly string[]): string => parts.join("+");

function loops(product: WarpProduct): readonly Instruction<Operand>[] {
  const { rows, columns, depth } = product;
  const groups = groupParts(product);
  const tiles = [part(depth, 1), part(rows, 2), part(columns, 2)];
  const warps = [part(rows, 1), part(columns, 1)];
  const split = (axis: Axis, factors: readonly Operand[]): Instruction<Operand> => {
    return { kind: "split", loop: axis.loop, factors, tail: "perfect" };
  };
  return [
    ...[rows, columns].map((axis) => split(axis, [0, ...tunables(warpsOf(axis), registerOf(axis)), warpTile])),
    split(depth, [0, ...tunables(unrollOf(depth)), warpTile]),
    { kind: "split", loop: part(rows, 0), factors: [0, ...tunables(neighboursOf(rows))], tail: "perfect" },
    {
      kind: "reorder",
      loops: [...groups, part(depth, 0), ...warps, ...tiles, part(rows, 3), part(columns, 3), part(depth, 2)],
    },
    ...groups.slice(1).map((inner, at): Instruction<Operand> => {
      return { kind: "fuse", outer: fusedName(groups.slice(0, at + 1)), inner };
    }),
    { kind: "bind", loop: groupLoop(product), axis: "blockIdx.x" },
    { kind: "bind", loop: part(rows, 1), axis: "threadIdx.z" },
    { kind: "bind", loop: part(columns, 1), axis: "threadIdx.y" },
    ...tiles.map((loop) => ({ kind: "unroll", loop }) as const),
  ];
}

/** Sums in registers, tile by tile; a warp zeroes them, and finishes them on their way to memory. */
function sumsInRegisters(product: WarpProduct, reader: SchedulableStage | null): readonly Instruction<Operand>[] {
  const { stage, batches, rows, intrinsic } = product;
  const tile = part(rows, 3);
  return [
    { kind: "cache-write", block: stage.name, loop: groupLoop(product), scope: "register" },
    ...(reader ? [{ kind: "reverse-inline", block: reader.name } as const] : []),
    { kind: "transform-layout", buffer: `${stage.name}.acc`, layout: tileByTile(batches.length) },
    { kind: "tensorize", loop: tile, intrinsic: intrinsic.name },
    { kind: "annotate", loop: `${tile}.init`, key: "warp", value: 1 },
    { kind: "annotate", loop: `${tile}.store`, key: "warp", value: 1 },
  ];
}

function tileByTile(batches: number): readonly LayoutDim<Operand>[] {
  const matrix = [batches, batches + 1];
  return [
    ...Array.from({ length: batches }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const),
    ...matrix.map((dim) => ({ dim, part: "outer", tile: warpTile }) as const),
    ...matrix.map((dim) => ({ dim, part: "inner", tile: warpTile }) as const),
  ];
}

const pipelined = (product: WarpProduct): readonly Instruction<Operand>[] => [
  ...copies(product, part(product.depth, 0)),
  { kind: "annotate", loop: part(product.depth, 0), key: "stages", value: { tunable: stagesOf(product) } },
];
