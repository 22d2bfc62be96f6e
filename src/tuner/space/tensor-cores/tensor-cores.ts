// Rule `tensor-cores`: a product of matrices by the warps of a GPU. A group of threads computes a rectangle of the result; steps of
// the depth are copied to its memory ahead, and its warps add up tiles in registers. A map that finishes the sums is computed on
// their way to memory.
//
//   for b, i.0.0, j.0, i.0.1 fused: blockIdx.x         rectangles; some along the rows run side by side
//     for k.0 (stages)                                 steps, copied ahead
//       for i.1: threadIdx.z, j.1: threadIdx.y         warps
//         for k.1, i.2, j.2 unrolled: mma              tiles of 16 × 16 × 16, or of 64 rows for four warps
//
// Each instruction that the machine has is a template.

import type { AcceleratorTarget, Instruction, LayoutDim, Operand } from "../../../compiler/index.ts";
import { type Draft, decide, estimate, fuse, instruct } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { copies } from "./copies.ts";
import { productsOf } from "./finished-product.ts";
import { addGroupTiles, neighboursOf, registerOf, stagesOf, unrollOf, warpsOf } from "./group-tiles.ts";
import { hasTiling } from "./has-tiling.ts";
import { limitGroups } from "./limits.ts";
import { productEstimate } from "./product-estimate.ts";
import type { Axis, TileShape, WarpProduct } from "./warp-product.ts";

export const tensorCores: SpaceRule<AcceleratorTarget> = {
  name: "tensor-cores",

  applies: (stage, context) => productsOf(stage, context) !== null,

  apply(draft, stage, context) {
    const found = productsOf(stage, context);
    const { target } = context.task;
    const products = found?.products.filter((product) => hasTiling(product, target)) ?? [];
    if (!found || products.length === 0) return context.otherwise(draft, stage.name);
    return products.map((product) => onTensorCores(draft, product, found.reader, target));
  },
};

function onTensorCores(
  draft: Draft,
  product: WarpProduct,
  reader: SchedulableStage | null,
  target: AcceleratorTarget,
): Draft {
  const sums = product.stage.name;
  const fused = reader ? fuse(draft, sums) : draft;
  const { columns, panel } = product.tile;
  const width = panel === null ? "" : `, ${columns} columns at once`;
  const named = decide(fused, `${reader ? `${reader.name} with ` : ""}${sums} on tensor cores${width}`);
  const limited = limitGroups(addGroupTiles(named, product), product, target);
  const timed = estimate(limited, productEstimate(product, reader, target));
  return instruct(timed, ...loops(product), ...sumsInRegisters(product, reader), ...pipelined(product));
}

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
  const { rows, columns, depth, tile } = product;
  const groups = groupParts(product);
  const tiles = [part(depth, 1), part(rows, 2), part(columns, 2)];
  const warps = [part(rows, 1), part(columns, 1)];
  const split = (axis: Axis, factors: readonly Operand[]): Instruction<Operand> => {
    return { kind: "split", loop: axis.loop, factors, tail: "perfect" };
  };
  return [
    split(rows, [0, ...tunables(warpsOf(rows), registerOf(rows)), tile.rows]),
    split(columns, [0, ...tunables(warpsOf(columns), registerOf(columns)), ...columnFactors(product)]),
    split(depth, [0, ...tunables(unrollOf(depth)), tile.depth]),
    { kind: "split", loop: part(rows, 0), factors: [0, ...tunables(neighboursOf(rows))], tail: "perfect" },
    {
      kind: "reorder",
      loops: [...groups, part(depth, 0), ...warps, ...tiles, part(rows, 3), ...columnLoops(product), part(depth, 2)],
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

/** Extents of the loops over the columns of a tile: panels, where there are several, and the columns of one. */
function columnFactors({ tile: { columns, panel } }: WarpProduct): readonly number[] {
  return panel === null || columns === panel ? [columns] : [columns / panel, panel];
}

const columnLoops = (product: WarpProduct): readonly string[] =>
  columnFactors(product).map((_, at) => part(product.columns, 3 + at));

/** Sums in registers, tile by tile; a warp zeroes them, and finishes them on their way to memory. */
function sumsInRegisters(product: WarpProduct, reader: SchedulableStage | null): readonly Instruction<Operand>[] {
  const { stage, batches, rows } = product;
  const tile = part(rows, 3);
  return [
    { kind: "cache-write", block: stage.name, loop: groupLoop(product), scope: "register" },
    ...(reader ? [{ kind: "reverse-inline", block: reader.name } as const] : []),
    { kind: "transform-layout", buffer: `${stage.name}.acc`, layout: tileByTile(batches.length, product.tile) },
    { kind: "annotate", loop: `${tile}.init`, key: "warp", value: 1 },
    { kind: "annotate", loop: `${tile}.store`, key: "warp", value: 1 },
  ];
}

function tileByTile(batches: number, { rows, columns }: TileShape): readonly LayoutDim<Operand>[] {
  const matrix = [
    { dim: batches, tile: rows },
    { dim: batches + 1, tile: columns },
  ];
  return [
    ...Array.from({ length: batches }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const),
    ...matrix.map((it) => ({ ...it, part: "outer" }) as const),
    ...matrix.map((it) => ({ ...it, part: "inner" }) as const),
  ];
}

const pipelined = (product: WarpProduct): readonly Instruction<Operand>[] => [
  ...copies(product, part(product.depth, 0)),
  { kind: "tensorize", loop: part(product.rows, 3), intrinsic: product.intrinsic.name },
  { kind: "annotate", loop: part(product.depth, 0), key: "stages", value: { tunable: stagesOf(product) } },
  ...(product.tile.panel === null
    ? []
    : [{ kind: "annotate", loop: part(product.depth, 0), key: "products-behind", value: 1 } as const]),
];
