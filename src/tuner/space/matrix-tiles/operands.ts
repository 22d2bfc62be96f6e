// Sources of the operands of a product on tiles: packed tile by tile inside the loops, laid out in tiles once if they
// are constants, or, for the left one, loaded from where its rows lie.

import type { Condition, Instruction, LayoutDim, Operand } from "../../../compiler/index.ts";
import { atMost, atMostWhen, type Draft, instructWhen, is } from "../draft/draft.ts";
import type { Access } from "../draft/schedulable-stage.ts";
import type { LoopOrder } from "../tiling/order.ts";
import { addPackChoices, copiedReads, copyAt, type PackChoice, packName } from "../tiling/packing.ts";
import { surplusOf } from "../tiling/tiled-axis.ts";
import { isAlongReduction, isConstant, isPadded, isWhole, type MatrixProduct, side } from "./matrix-product.ts";

/** Tiles one after another along the reduce axis: 16 rows of the left operand, 16 columns of groups of the right one. */
function layoutOf(access: Access, product: MatrixProduct): readonly LayoutDim<Operand>[] {
  const { stage, left, group, depth } = product;
  const [row, column] = stage.spatial.slice(-2);
  const own = access === left ? row! : column!;
  const along = (name: string): number => access.dims.findIndex((it) => it?.has(name));
  const [across, deep] = [along(own.name), along(stage.reduce[0]!.name)];
  const tiles = [
    { dim: across, tile: side },
    { dim: deep, tile: access === left ? depth : group },
  ];
  const others = [...access.dims.keys()].filter((dim) => dim !== across && dim !== deep);
  return [
    ...others.map((dim) => ({ dim, part: "whole", tile: 1 }) as const),
    ...tiles.map((it) => ({ ...it, part: "outer" }) as const),
    ...tiles.map((it) => ({ ...it, part: "inner" }) as const),
  ];
}

export function packOf(access: Access, product: MatrixProduct): PackChoice {
  const { stage, left } = product;
  const role = access === left ? "spatial" : "vector";
  const panelAxis = product.axes.find((it) => it.role === role)!;
  const isOnce = isConstant(access, product);
  return {
    packable: { access, panelAxis, layout: layoutOf(access, product), isGrouped: true },
    tunable: !isOnce && hasTileRows(access, product) ? `${stage.name}.pack.${access.id}` : null,
    isOnce,
    reads: copiedReads(stage, access),
  };
}

/** Says whether tiles of the left operand can be loaded from where it is: the tiles are whole, and their rows contiguous. */
const hasTileRows = (access: Access, product: MatrixProduct): boolean =>
  access === product.left && !isPadded(product) && isWhole(product, "spatial") && isAlongReduction(product);

/**
 * Adds the choice of a place for each pack, with the limits that it puts on register tiles. A pack inside the loops has
 * as many tiles as the loops walk. An operand laid out before has only its own tiles, and one that is read in place has
 * no surplus at all, so register tiles must not reach beyond them.
 */
export const addPlaceChoices = (draft: Draft, packs: readonly PackChoice[]): Draft =>
  packs.reduce(
    (result, { packable: { panelAxis }, tunable, isOnce }) => {
      const { axis } = panelAxis!;
      const why = `register tiles of ${axis.name} hold tiles of an operand that is not packed`;
      if (!tunable) return isOnce ? atMost(result, surplusOf(panelAxis!), side - 1, why) : result;
      return atMostWhen(result, [is(tunable, 0)], surplusOf(panelAxis!), 0, why);
    },
    addPackChoices(draft, packs),
  );

export function packing(
  draft: Draft,
  packs: readonly PackChoice[],
  product: MatrixProduct,
  { packOthersAt, packVectorAt }: LoopOrder,
  when: readonly Condition[],
): Draft {
  return packs.toReversed().reduce((result, pack) => {
    const conditions = pack.tunable ? [...when, is(pack.tunable, 1)] : when;
    const loop = pack.packable.access === product.left ? packOthersAt : packVectorAt;
    return instructWhen(result, conditions, ...packAt(pack, loop, product));
  }, draft);
}

/** A constant operand lies in tiles before everything else, its padding too. */
function packAt(pack: PackChoice, loop: string, product: MatrixProduct): readonly Instruction<Operand>[] {
  const copy = copyAt(pack, loop);
  return pack.isOnce && isPadded(product) ? [copy] : [copy, ...rowsOf(pack, product)];
}

/** A row of a tile as a vector: it is contiguous where it comes from, or interleaved from as many rows as make a group. */
function rowsOf(pack: PackChoice, { stage, left }: MatrixProduct): readonly Instruction<Operand>[] {
  const { access } = pack.packable;
  const [columns, last] = [0, 1].map((at) => `${packName(pack)}.${access.dims.length + at}`) as [string, string];
  const own = access === left ? stage.reduce[0]! : stage.spatial.at(-1)!;
  if (!access.dims.at(-1)?.has(own.name)) return [{ kind: "unroll", loop: last }];
  if (access === left) return [{ kind: "vectorize", loop: last }];
  return [
    { kind: "fuse", outer: columns, inner: last },
    { kind: "vectorize", loop: `${columns}+${last}` },
  ];
}

export const padding = (product: MatrixProduct): readonly Instruction<Operand>[] => {
  const { block } = product.stage;
  const multiples = block.axes.map(({ role }) => (role === "reduce" ? product.depth : 1));
  return isPadded(product) ? [{ kind: "pad", block: block.name, multiples }] : [];
};

/** The padding is part of the packs. */
export const inlined = (product: MatrixProduct): readonly Instruction<Operand>[] =>
  [...new Set([product.left, product.right].filter((access) => !isConstant(access, product)).map(bufferOf))]
    .filter(() => isPadded(product))
    .map((block) => ({ kind: "inline", block }));

const bufferOf = ({ buffer }: Access): string => buffer;
