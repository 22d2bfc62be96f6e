// Schedule of a sum with few results: threads of a group share its depth too. Each adds up every so many elements of it, and what these
// come to is added up by the threads of the first slice.
//
//   for i.0, j.0 fused: blockIdx.x
//     for k.1: threadIdx.z, i.1: threadIdx.y, j.2: threadIdx.x
//       for k.0
//         for k.2, i.2, j.1 written out: C.rf[k.1, i, j] += A · B                 registers, then the memory of the group
//     for i.1: threadIdx.y, j.2: threadIdx.x
//       for k.1: C[i, j] += C.rf[k.1, i, j]                                       registers; a map on the way to memory

import { threadSizes } from "../../prior/thread-sizes.ts";
import { atMost, constrain, type Draft, product, tunable, valuesOf } from "../draft/draft.ts";
import { finishing } from "../fusion/finishing-map.ts";
import { takeWords } from "./byte-words.ts";
import { groupBytesOf } from "./copies.ts";
import { bytesInGroup } from "./limits.ts";
import type { SumAxis, TiledSum } from "./sum-axes.ts";
import { named, tileOf, unrollOf } from "./tile-choices.ts";
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

/** Slices of the depth. */
export const slicesOf = ({ loop }: SumAxis): string => `${loop}.slices`;

/**
 * Says whether groups of the results alone would leave the machine idle; a coordinate of the threads has to be left for slices. Of a part
 * of the depth they take all in whole rounds.
 */
export function isSliceable({ stage, tiled, depth, parts }: TiledSum): boolean {
  const { fewResults, leastSliced, slices } = threadSizes;
  const results = stage.spatial.reduce((count, { extent }) => count * extent, 1);
  const isCut = parts === null || depth.extent % slices[0] === 0;
  return tiled.length <= 2 && depth.extent >= leastSliced && results <= fewResults && isCut;
}

/** Adds the slices, what is written out of each, and the memory of their sums. */
export function addSlices(draft: Draft, tiles: TiledSum, most: number): Draft {
  const { stage, tiled, depth } = tiles;
  const bytes = groupBytesOf({ stage });
  const cut = tunable(tunable(draft, slicesOf(depth), threadSizes.slices), unrollOf(depth), threadSizes.unrolls);
  const sliced = tiles.parts ? inWholeRounds(cut, depth) : cut;
  const parts = [bytesInGroup(stage.dtype), slicesOf(depth), ...tiled.map(tileOf)];
  const counted = product(sliced, bytes, parts, "bytes of memory of a group");
  return atMost(counted, bytes, most, `sums of the slices of ${depth.name} fit the ${most} bytes of a group`);
}

/** No slice reaches into the next part. */
function inWholeRounds(draft: Draft, depth: SumAxis): Draft {
  const round = `${depth.loop}.round`;
  const counted = product(draft, round, [slicesOf(depth), unrollOf(depth)], `elements of ${depth.name} in a round`);
  return constrain(counted, {
    kind: "one-of",
    variable: round,
    values: valuesOf(counted, round).filter((size) => depth.extent % size === 0),
    why: `rounds of all slices divide a part of ${depth.name}`,
    role: "limit",
  });
}

export function slicedSum(tiles: TiledSum, reader: string | null): Instructions {
  const { stage, depth, further } = tiles;
  const slice = part(depth, 1);
  const steps = [...further.map(({ loop }) => loop), part(depth, 0), part(depth, 2)];
  const threads = threadLoops(tiles);
  const final = (loop: string): string => (tiles.parts ? `${loop}.rf.final` : `${loop}.final`);
  const coordinates = tiles.tiled.map(({ coordinate }) => coordinate);
  return [
    ...splitTiles(tiles, "guard"),
    {
      kind: "split",
      loop: depth.loop,
      factors: [0, named(slicesOf(depth)), named(unrollOf(depth))],
      tail: "guard",
    },
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
    { kind: "unroll", loop: part(depth, 2) },
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
