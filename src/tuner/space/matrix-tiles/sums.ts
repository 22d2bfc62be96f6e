// The sums of a product on tiles: in tile registers, and out of them into memory.

import type { Instruction, Operand } from "../../../compiler/index.ts";
import { atMostWhen, choice, type Draft, instruct, instructWhen, is } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { inTiles } from "../tiling/sums-in-tiles.ts";
import { surplusOf } from "../tiling/tiled-axis.ts";
import { isWhole, loopsOf, type MatrixProduct } from "./matrix-product.ts";

const sumsOfTiles = ({ stage }: MatrixProduct): string => `${stage.name}.acc`;

/** The accumulators tile by tile. */
export function sumsInTiles(product: MatrixProduct): readonly Instruction<Operand>[] {
  const { stage, intrinsic, side } = product;
  const { row } = loopsOf(product);
  const sides = new Map(stage.spatial.slice(-2).map(({ name }) => [name, side]));
  return [
    inTiles(stage, sumsOfTiles(product), sides),
    { kind: "tensorize", loop: `${row}.3`, intrinsic: intrinsic.name },
    { kind: "tensorize", loop: `${row}.3.init`, intrinsic: `tilezero.${stage.dtype}` },
  ];
}

/**
 * Stores the sums through a copy in memory. If no other stage reads them and no padding is cut off, a tunable may
 * choose to store each tile in its place instead.
 */
export function storeTiles(draft: Draft, product: MatrixProduct, reader: SchedulableStage | null): Draft {
  const { stage, axes } = product;
  const { row, column } = loopsOf(product);
  const stored = { kind: "tensorize", intrinsic: `tilestored.${stage.dtype}` } as const;
  const sums = sumsOfTiles(product);
  const dims = stage.spatial.length;
  const copied = Array.from({ length: dims + 2 }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const);
  const copy: readonly Instruction<Operand>[] = [
    { kind: "cache-read", buffer: sums, loop: `${row}.2.store`, layout: copied },
    { kind: "unroll", loop: `${sums}.pack.${dims - 1}` },
    { kind: "vectorize", loop: `${column}.3.store` },
    { ...stored, loop: `${sums}.pack.${dims}` },
  ];
  if (reader || !isWhole(product, "spatial") || !isWhole(product, "vector")) return instruct(draft, ...copy);
  const inPlace = `${stage.name}.store`;
  const limited = axes
    .filter(({ role }) => role === "spatial" || role === "vector")
    .reduce(
      (result, it) => {
        const why = `tiles of ${it.axis.name} are stored whole`;
        return atMostWhen(result, [is(inPlace, 1)], surplusOf(it), 0, why);
      },
      choice(draft, inPlace, 2),
    );
  const withCopy = instructWhen(limited, [is(inPlace, 0)], ...copy);
  return instructWhen(withCopy, [is(inPlace, 1)], { ...stored, loop: `${row}.3.store` });
}
