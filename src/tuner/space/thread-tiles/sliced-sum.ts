// Schedule of a sum with few results: threads of a group share its depth too. Each adds up every so many elements of it, and what these
// come to is added up by the threads of the first slice.
//
//   for i.0, j.0 fused: blockIdx.x
//     for k.1: threadIdx.z, i.1: threadIdx.y, j.2: threadIdx.x
//       for k.0
//         for k.2, i.2, j.1 written out: C.rf[k.1, i, j] += A · B                 registers, then the memory of the group
//     for i.1: threadIdx.y, j.2: threadIdx.x
//       for k.1: C[i, j] += C.rf[k.1, i, j]                                       registers; a map on the way to memory

import type { Operand } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { atMost, type Draft, product, tunable } from "../draft/draft.ts";
import { finishing } from "../fusion/finishing-map.ts";
import { takeWords } from "./byte-words.ts";
import { groupBytesOf } from "./copies.ts";
import { bytesInGroup } from "./limits.ts";
import type { SumAxis, TiledSum } from "./sum-axes.ts";
import { named, slicesOf, tileOf, unrollOf } from "./tile-choices.ts";
import {
  bindGroups,
  groupsThenThreads,
  type Instructions,
  lanesLoop,
  part,
  registerLoops,
  splitTiles,
  threadLoops,
} from "./tile-loops.ts";

/** Says whether groups of the results alone would leave the machine idle; a coordinate of the threads has to be left for slices. */
export function isSliceable({ stage, tiled, depth }: TiledSum): boolean {
  const { fewResults, leastSliced } = threadSizes;
  const results = stage.spatial.reduce((count, { extent }) => count * extent, 1);
  return tiled.length <= 2 && depth.extent >= leastSliced && results <= fewResults;
}

/** Adds the slices, what is written out of each, and the memory of their sums. */
export function addSlices(draft: Draft, tiles: TiledSum, most: number): Draft {
  const { stage, tiled, depth } = tiles;
  const bytes = groupBytesOf({ stage });
  const cut = tunable(tunable(draft, slicesOf(depth), threadSizes.slices), unrollOf(depth), threadSizes.unrolls);
  const parts = [bytesInGroup(stage.dtype), slicesOf(depth), ...tiled.map(tileOf)];
  const counted = product(cut, bytes, parts, "bytes of memory of a group");
  return atMost(counted, bytes, most, `sums of the slices of ${depth.name} fit the ${most} bytes of a group`);
}

/** How the depth is walked: every so many elements are a slice's, some of which it writes out. */
export const sliceFactors = (depth: SumAxis): readonly Operand[] => [named(slicesOf(depth)), named(unrollOf(depth))];

/** The depth is cut into slices already where it is in parts. */
export function slicedSum(tiles: TiledSum, reader: string | null): Instructions {
  const { stage, depth, further } = tiles;
  const [step, slice, written] = [0, 1, 2].map((level) => part(depth, tiles.parts ? level + 1 : level)) as [
    string,
    string,
    string,
  ];
  const steps = [...further.map(({ loop }) => loop), step, written];
  const threads = threadLoops(tiles);
  const final = (loop: string): string => (tiles.parts ? `${loop}.rf.final` : `${loop}.final`);
  const coordinates = tiles.tiled.map(({ coordinate }) => coordinate);
  return [
    ...splitTiles(tiles, "guard"),
    ...(tiles.parts
      ? []
      : [{ kind: "split", loop: depth.loop, factors: [0, ...sliceFactors(depth)], tail: "guard" } as const]),
    ...groupsThenThreads(tiles, [slice], steps),
    ...bindGroups(tiles),
    { kind: "rfactor", loop: slice },
    { kind: "set-scope", buffer: `${stage.name}.rf`, scope: "group" },
    { kind: "reorder", loops: [final(slice), ...[...registerLoops(tiles), lanesLoop(tiles)].map(final)] },
    { kind: "bind", loop: slice, axis: "threadIdx.z" },
    ...threads.flatMap((loop, at) => [
      { kind: "bind", loop, axis: coordinates[at]! } as const,
      { kind: "bind", loop: final(loop), axis: coordinates[at]! } as const,
    ]),
    { kind: "unroll", loop: written },
    ...registerLoops(tiles).flatMap((loop) => [
      { kind: "unroll", loop } as const,
      { kind: "unroll", loop: final(loop) } as const,
    ]),
    { kind: "vectorize", loop: lanesLoop(tiles) },
    { kind: "vectorize", loop: final(lanesLoop(tiles)) },
    { kind: "cache-write", block: `${stage.name}.rf`, loop: threads.at(-1)!, scope: "register" },
    { kind: "cache-write", block: stage.name, loop: final(threads.at(-1)!), scope: "register" },
    ...finishing(reader),
    ...takeWords(tiles.dot),
  ];
}
