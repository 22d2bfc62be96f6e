// Layout of sums that an instruction computes tile by tile: each tile lies together, row after row.
//
//   C.acc[i, j]   →   C.acc[i floorDiv 2, j floorDiv 2, i mod 2, j mod 2]          layout [0/2] [1/2] [0%2] [1%2]

import type { Instruction, LayoutDim, Operand } from "../../../compiler/index.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { isInRows, type TiledAxis } from "./tiled-axis.ts";

/** Lays out a buffer of the stage's sums in tiles of `sides` elements along some axes. */
export function inTiles(
  { spatial }: SchedulableStage,
  buffer: string,
  sides: ReadonlyMap<string, number>,
): Instruction<Operand> {
  const dims = spatial.map(({ name }, dim) => ({ dim, tile: sides.get(name) }));
  const tiles = dims.flatMap(({ dim, tile }) => (tile === undefined ? [] : [{ dim, tile }]));
  const layout: readonly LayoutDim<Operand>[] = [
    ...dims.filter(({ tile }) => tile === undefined).map(({ dim }) => ({ dim, part: "whole", tile: 1 }) as const),
    ...tiles.map((it) => ({ ...it, part: "outer" }) as const),
    ...tiles.map((it) => ({ ...it, part: "inner" }) as const),
  ];
  return { kind: "transform-layout", buffer, layout };
}

/** Lays out sums for an intrinsic on vectors: nothing to do where its result is one row. */
export function sumsForRows(
  stage: SchedulableStage,
  buffer: string,
  axes: readonly TiledAxis[],
): readonly Instruction<Operand>[] {
  if (!axes.some(isInRows)) return [];
  const tiled = axes.filter((it) => isInRows(it) || it.role === "vector");
  return [inTiles(stage, buffer, new Map(tiled.map(({ axis, lanes }) => [axis.name, lanes])))];
}
