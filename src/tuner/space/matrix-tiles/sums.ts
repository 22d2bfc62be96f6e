// The sums of a product on tiles: in tile registers, and out of them into memory.

import type { Instruction, LayoutDim, Operand } from "../../../compiler/index.ts";
import { atMostWhen, choice, type Draft, instruct, instructWhen, is } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { surplusOf } from "../tiling/tiled-axis.ts";
import { isWhole, loopsOf, type MatrixProduct, side } from "./matrix-product.ts";

const sumsOfTiles = ({ stage }: MatrixProduct): string => `${stage.name}.acc`;

/** The accumulators tile by tile. */
export function sumsInTiles(product: MatrixProduct): readonly Instruction<Operand>[] {
  const { stage, intrinsic } = product;
  const { row } = loopsOf(product);
  const others = stage.spatial.length - 2;
  const dims = [others, others + 1].map((dim) => ({ dim, tile: side }));
  const layout: readonly LayoutDim<Operand>[] = [
    ...Array.from({ length: others }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const),
    ...dims.map((it) => ({ ...it, part: "outer" }) as const),
    ...dims.map((it) => ({ ...it, part: "inner" }) as const),
  ];
  return [
    { kind: "transform-layout", buffer: sumsOfTiles(product), layout },
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
