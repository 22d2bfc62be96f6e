// Schedule of a sum in tiles of threads that read their operands where they lie.
//
//   for b, i.0, j.0 fused: blockIdx.x
//     for i.1: threadIdx.y, j.2: threadIdx.x
//       for k.0
//         for k.1, i.2, j.1 written out: C.acc[i.2, j.1, lanes of j.3] += A · B      registers
//       C[…] = C.acc[…]                                                              a map on the way

import { finishing } from "../fusion/finishing-map.ts";
import { takeWords } from "./byte-words.ts";
import type { TiledSum } from "./sum-axes.ts";
import { named, unrollOf } from "./tile-choices.ts";
import {
  bindGroups,
  bindThreads,
  groupsThenThreads,
  type Instructions,
  part,
  splitTiles,
  threadLoops,
  writeOut,
} from "./tile-loops.ts";

/** @param reader name of the map that finishes the sums; null: none does */
export function directSum(tiles: TiledSum, reader: string | null): Instructions {
  const { stage, depth, further } = tiles;
  const steps = [...further.map(({ loop }) => loop), part(depth, 0), part(depth, 1)];
  return [
    ...splitTiles(tiles, "guard"),
    { kind: "split", loop: depth.loop, factors: [0, named(unrollOf(depth))], tail: "perfect" },
    ...groupsThenThreads(tiles, [], steps),
    ...bindGroups(tiles),
    ...bindThreads(tiles),
    { kind: "unroll", loop: part(depth, 1) },
    ...writeOut(tiles),
    { kind: "cache-write", block: stage.name, loop: threadLoops(tiles).at(-1)!, scope: "register" },
    ...finishing(reader),
    ...takeWords(tiles.dot),
  ];
}
