// Rule `tensor-cores`: a product of matrices by the warps of a GPU. A group of threads computes a rectangle of the result; steps of
// the depth are copied to its memory ahead, and its warps add up tiles in registers. A map that finishes the sums is computed on
// their way to memory.
//
//   for b, i.0.0, j.0, i.0.1 fused: blockIdx.x         rectangles; some along the rows run side by side
//     for k.0 (stages)                                 steps, copied ahead
//       for i.1: threadIdx.z, j.1: threadIdx.y         warps
//         for k.1, i.2, j.2 unrolled: mma              tiles of 16 × 16 × 16, or of 64 rows for four warps
//
// Each instruction that the machine has is a template, and so is each way of copying to panels. Persistent groups compute rectangles below each
// other: inside of their loop over groups there is one over rows, outside of the steps.

import type { AcceleratorTarget, Instruction, LayoutDim, Operand } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { type Draft, decide, estimate, instruct } from "../draft/draft.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { finishing } from "../fusion/finishing-map.ts";
import { joined } from "../fusion/sum-of-a-map.ts";
import {
  addParts,
  addUpParts,
  cutParts,
  type DeepSum,
  depthOfPart,
  partsEstimate,
  partsOf,
  stageOfParts,
} from "../parts/parts.ts";
import { copies } from "./copies.ts";
import { productsOf } from "./finished-product.ts";
import {
  addGroupTiles,
  clusterOf,
  neighboursOf,
  registerOf,
  roundsOf,
  stagesOf,
  unrollOf,
  warpsOf,
} from "./group-tiles.ts";
import { hasTiling } from "./has-tiling.ts";
import { limitGroups } from "./limits.ts";
import { productEstimate } from "./product-estimate.ts";
import {
  type Axis,
  type Copying,
  isPersistent,
  isSpecialized,
  type TileShape,
  type WarpProduct,
} from "./warp-product.ts";

export const tensorCores: SpaceRule<AcceleratorTarget> = {
  name: "tensor-cores",

  applies: (stage, context) => productsOf(stage, context) !== null,

  apply(draft, stage, context) {
    const found = productsOf(stage, context);
    const { target } = context.task;
    const products = found?.products.filter((product) => hasTiling(product, target)) ?? [];
    if (!found || products.length === 0) return context.otherwise(draft, stage.name);
    const { finished } = found;
    const reader = finished ? stage : null;
    const begun = finished ? joined(draft, finished) : draft;
    return [...products, ...inBoxes(products, target)].flatMap((product) => {
      const { stage } = product;
      const title = reader ? `${reader.name} with ${stage.name}` : stage.name;
      const asked = { draft: begun, product, title, reader, target };
      return [onTensorCores(asked), ...inParts(asked)];
    });
  },
};

/** The same products, with operands that are copied as boxes: what lies in panels can be. */
function inBoxes(products: readonly WarpProduct[], target: AcceleratorTarget): readonly WarpProduct[] {
  const inPanels = products.filter(({ tile }) => tile.panel !== null);
  const copied = (copying: Copying): readonly WarpProduct[] => inPanels.map((product) => ({ ...product, copying }));
  const persistent = copied("by boxes, warp-specialized, persistent").filter((product) => hasTiling(product, target));
  return [...copied("by boxes"), ...copied("by boxes, warp-specialized"), ...persistent];
}

interface Asked {
  readonly draft: Draft;
  readonly product: WarpProduct;
  /** Title of the computation, which the template's name begins with. */
  readonly title: string;
  /** The map that finishes the sums; null: none does. */
  readonly reader: SchedulableStage | null;
  readonly target: AcceleratorTarget;
}

function onTensorCores({ draft, product, title, reader, target }: Asked): Draft {
  const { columns, panel } = product.tile;
  const { copying } = product;
  const width = panel === null ? "" : `, ${columns} columns at once${copying === "by threads" ? "" : `, ${copying}`}`;
  const named = decide(draft, `${title} on tensor cores${width}`);
  // Lanes have elements of a tile in registers, but where it is a subgroup matrix, which is only moved as a whole.
  const isSpread = reader !== null && product.intrinsic.text.wgsl !== undefined;
  const limited = limitGroups(addGroupTiles(named, product), product, target, isSpread);
  const timed = estimate(limited, productEstimate(product, reader, target));
  return instruct(timed, ...loops(product), ...sumsInRegisters(product, reader), ...pipelined(product));
}

/** The product whose depth groups share, where that is a way. */
function inParts({ draft, product, title, reader, target }: Asked): readonly Draft[] {
  if (isPersistent(product)) return [];
  const { stage, depth, tile } = product;
  const sum: DeepSum = { stage, depth, further: [] };
  const parts = partsOf(sum, threadSizes.parts, tile.panel ?? tile.depth);
  const ofParts = parts && { ...product, stage: stageOfParts(stage), depth: depthOfPart(depth, parts), parts };
  if (!ofParts || !hasTiling(ofParts, target)) return [];
  const begun = instruct(addParts(draft, stage, parts, target), ...cutParts(sum, parts));
  const named = `${title} in parts of ${depth.name}`;
  const sums = onTensorCores({ draft: begun, product: ofParts, title: named, reader: null, target });
  const timed = estimate(sums, partsEstimate(stage, parts, reader, target));
  return [instruct(timed, ...addUpParts(stage, parts, reader?.name ?? null))];
}

const tunables = (...names: readonly string[]): readonly Operand[] => names.map((tunable) => ({ tunable }));

const part = ({ loop }: Axis, ...levels: readonly number[]): string => [loop, ...levels].join(".");

/** The loop over groups of threads, once its parts are fused. */
const groupLoop = (product: WarpProduct): string => fusedLoop(groupParts(product));

function groupParts(product: WarpProduct): readonly string[] {
  const { parts, batches, rows, columns } = product;
  const first = isPersistent(product) ? 1 : 0;
  return [
    ...(parts ? [parts.loop] : []),
    ...batches.map(({ loop }) => loop),
    part(rows, 0, first),
    part(columns, 0),
    part(rows, 0, first + 1),
  ];
}

/** The loop inside of which a group computes one part of the result. */
const partLoop = (product: WarpProduct): string =>
  isPersistent(product) ? part(product.rows, 0, 0) : groupLoop(product);

function loops(product: WarpProduct): readonly Instruction<Operand>[] {
  const { rows, columns, depth, tile } = product;
  const groups = groupParts(product);
  const rounds = isPersistent(product) ? tunables(roundsOf(rows)) : [];
  const tiles = [part(depth, 1), part(rows, 2), part(columns, 2)];
  const warps = [part(rows, 1), part(columns, 1)];
  const split = (axis: Axis, factors: readonly Operand[]): Instruction<Operand> => {
    return { kind: "split", loop: axis.loop, factors, tail: "perfect" };
  };
  return [
    split(rows, [0, ...tunables(warpsOf(rows), registerOf(rows)), tile.rows]),
    split(columns, [0, ...tunables(warpsOf(columns), registerOf(columns)), ...columnFactors(product)]),
    split(depth, [0, ...tunables(unrollOf(depth)), tile.depth]),
    {
      kind: "split",
      loop: part(rows, 0),
      factors: [...rounds, 0, ...tunables(neighboursOf(rows))],
      tail: "perfect",
    },
    {
      kind: "reorder",
      loops: [
        ...groups,
        ...(isPersistent(product) ? [partLoop(product)] : []),
        part(depth, 0),
        ...warps,
        ...tiles,
        part(rows, 3),
        ...columnLoops(product),
        part(depth, 2),
      ],
    },
    ...fuseLoops(groups),
    { kind: "bind", loop: groupLoop(product), axis: "blockIdx.x" },
    { kind: "bind", loop: part(rows, 1), axis: "threadIdx.z" },
    { kind: "bind", loop: part(columns, 1), axis: "threadIdx.y" },
    ...tiles.map((loop) => ({ kind: "unroll", loop }) as const),
  ];
}

/** Extents of the loops over the columns of a tile: panels, where there are several, and the columns of one. */
function columnFactors({ tile: { columns, panel, isAlongDepth } }: WarpProduct): readonly number[] {
  return panel === null || isAlongDepth || columns === panel ? [columns] : [columns / panel, panel];
}

const columnLoops = (product: WarpProduct): readonly string[] =>
  columnFactors(product).map((_, at) => part(product.columns, 3 + at));

/** Sums in registers, tile by tile; a warp zeroes them, and finishes them on their way to memory. */
function sumsInRegisters(product: WarpProduct, reader: SchedulableStage | null): readonly Instruction<Operand>[] {
  const { stage, parts, batches, rows } = product;
  const tile = part(rows, 3);
  const outer = batches.length + (parts ? 1 : 0);
  return [
    { kind: "cache-write", block: stage.name, loop: partLoop(product), scope: "register" },
    ...finishing(reader?.name ?? null),
    { kind: "transform-layout", buffer: `${stage.name}.acc`, layout: tileByTile(outer, product.tile) },
    { kind: "annotate", loop: `${tile}.init`, key: "warp", value: 1 },
    { kind: "annotate", loop: `${tile}.store`, key: "warp", value: 1 },
  ];
}

function tileByTile(outer: number, { rows, columns }: TileShape): readonly LayoutDim<Operand>[] {
  const matrix = [
    { dim: outer, tile: rows },
    { dim: outer + 1, tile: columns },
  ];
  return [
    ...Array.from({ length: outer }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const),
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
  ...(isSpecialized(product)
    ? [{ kind: "annotate", loop: part(product.depth, 0), key: "warp-specialized", value: 1 } as const]
    : []),
  ...(isPersistent(product)
    ? [
        {
          kind: "annotate",
          loop: part(product.depth, 0),
          key: "cluster",
          value: { tunable: clusterOf(product) },
        } as const,
      ]
    : []),
];
