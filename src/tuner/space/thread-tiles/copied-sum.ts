// Schedule of a sum in tiles of threads whose operands are copied to the memory of the group, step by step, by all of its threads.
//
//   for b, i.0, j.0 fused: blockIdx.x
//     for k.0
//       A.pack, B.pack = what the group reads in a step        all threads, a barrier before and after
//       for i.1: threadIdx.y, j.2: threadIdx.x
//         for k.1.0
//           for k.1.1, i.2, j.1 written out: C.acc[i, j.1, lanes of j.3] += A.pack · B.pack

import { finishing } from "../fusion/finishing-map.ts";
import { takeWords } from "./byte-words.ts";
import { type CopiedOperand, copies } from "./copies.ts";
import type { TiledSum } from "./sum-axes.ts";
import { named, stepOf, unrollOf } from "./tile-choices.ts";
import {
  bindGroups,
  bindThreads,
  groupLoop,
  groupsThenThreads,
  type Instructions,
  part,
  splitTiles,
  writeOut,
} from "./tile-loops.ts";

export function copiedSum(tiles: TiledSum, operands: readonly CopiedOperand[], reader: string | null): Instructions {
  const { stage, depth, further } = tiles;
  const outside = [...further.map(({ loop }) => loop), part(depth, 0)];
  const step = part(depth, 1);
  const [round, once] = [`${step}.0`, `${step}.1`];
  return [
    ...splitTiles(tiles, "mask"),
    { kind: "split", loop: depth.loop, factors: [0, named(stepOf(depth))], tail: "guard" },
    { kind: "split", loop: step, factors: [0, named(unrollOf(depth))], tail: "perfect" },
    ...groupsThenThreads(tiles, outside, [round, once]),
    ...bindGroups(tiles),
    ...bindThreads(tiles),
    { kind: "unroll", loop: once },
    ...writeOut(tiles),
    { kind: "cache-write", block: stage.name, loop: groupLoop(tiles), scope: "register" },
    ...finishing(reader),
    ...operands.flatMap((operand) => copies(operand, tiles, part(depth, 0))),
    ...takeWords(tiles.dot),
  ];
}
