// Loops of a sum in tiles of threads: groups on the outside, and what a thread does for one element of the depth on the inside.

import type { Instruction, Operand } from "../../../compiler/index.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import { cutWords } from "./byte-words.ts";
import type { SumAxis, TiledAxis, TiledSum } from "./sum-axes.ts";
import { isColumns, lanesOf, named, registerOf, threadsOf } from "./tile-choices.ts";

export type Instructions = readonly Instruction<Operand>[];

export const part = ({ loop }: SumAxis, level: number): string => `${loop}.${level}`;

const groupParts = ({ parts, outer, tiled }: TiledSum): readonly string[] => [
  ...(parts ? [parts.loop] : []),
  ...outer.map(({ loop }) => loop),
  ...tiled.map((axis) => part(axis, 0)),
];

/** The loop over groups of threads, once its parts are fused. */
export const groupLoop = (tiles: TiledSum): string => fusedLoop(groupParts(tiles));

/** The loop over the threads of a group along an axis; the vectors of columns are outside of it. */
export const threadLoop = (tiles: TiledSum, axis: TiledAxis): string => part(axis, isColumns(axis, tiles) ? 2 : 1);
const registerLoop = (tiles: TiledSum, axis: TiledAxis): string => part(axis, isColumns(axis, tiles) ? 1 : 2);
export const lanesLoop = ({ columns }: TiledSum): string => `${columns.loop}.3`;

export const threadLoops = (tiles: TiledSum): readonly string[] => tiles.tiled.map((axis) => threadLoop(tiles, axis));
export const registerLoops = (tiles: TiledSum): readonly string[] =>
  tiles.tiled.map((axis) => registerLoop(tiles, axis));

/** Cuts of the tiled axes, and of the depth into words. */
export const splitTiles = (tiles: TiledSum, tail: "guard" | "mask"): Instructions => [
  ...tiles.tiled.map((axis) => {
    const parts = isColumns(axis, tiles) ? [registerOf, threadsOf, lanesOf] : [threadsOf, registerOf];
    return { kind: "split", loop: axis.loop, factors: [0, ...parts.map((of) => named(of(axis)))], tail } as const;
  }),
  ...cutWords(tiles.dot),
];

/** The parts of the outermost loop become one, over groups. */
export function bindGroups(tiles: TiledSum): Instructions {
  const parts = groupParts(tiles);
  return [...fuseLoops(parts), { kind: "bind", loop: groupLoop(tiles), axis: "blockIdx.x" }];
}

export const bindThreads = (tiles: TiledSum): Instructions =>
  tiles.tiled.map((axis) => ({ kind: "bind", loop: threadLoop(tiles, axis), axis: axis.coordinate }) as const);

/** What a thread has in registers is written out. */
export const writeOut = (tiles: TiledSum): Instructions => [
  ...registerLoops(tiles).map((loop) => ({ kind: "unroll", loop }) as const),
  { kind: "vectorize", loop: lanesLoop(tiles) },
];

export const groupsThenThreads = (
  tiles: TiledSum,
  between: readonly string[],
  inside: readonly string[],
): Instructions => [
  {
    kind: "reorder",
    loops: [
      ...groupParts(tiles),
      ...between,
      ...threadLoops(tiles),
      ...inside,
      ...registerLoops(tiles),
      lanesLoop(tiles),
      ...(tiles.dot ? [tiles.dot.elements] : []),
    ],
  },
];
