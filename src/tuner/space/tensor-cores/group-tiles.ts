// The decisions of a product on tensor cores: which part of it a group of threads computes, and how. Their values divide the
// product, and all that is counted is counted in tiles. Where four warps share an instruction, they count as one warp here.
//
//   rows     i → i.0 groups, i.1 warps, i.2 tiles of a warp, i.3 of 16 or 64     columns alike
//   depth    k → k.0 steps, k.1 tiles of a step, k.2 of 16                      groups of i → i.0.0, i.0.1 side by side
//                                                       of persistent groups: i.0.0 rounds, i.0.1, i.0.2 side by side

import { type Draft, product, tilesOf, tunable } from "../draft/draft.ts";
import { type Axis, isPersistent, type TileShape, type WarpProduct } from "./warp-product.ts";

/** Warps of a group along an axis, and tiles of a warp along it, whose sums lie in registers. */
export const warpsOf = ({ loop }: Axis): string => `${loop}.warps`;
export const registerOf = ({ loop }: Axis): string => `${loop}.register`;
/** Tiles of a group along an axis. */
export const groupTilesOf = ({ loop }: Axis): string => `${loop}.group-tiles`;
/** Groups along an axis. */
export const groupsOf = ({ loop }: Axis): string => `${loop}.groups`;
/** Tiles of the depth in a step, and how many steps there are. */
export const unrollOf = ({ loop }: Axis): string => `${loop}.unroll`;
export const stepsOf = ({ loop }: Axis): string => `${loop}.steps`;
/** Groups along the rows that run side by side before the next columns: what they read of the columns stays in L2. */
export const neighboursOf = ({ loop }: Axis): string => `${loop}.neighbours`;
/** Parts of the result that a persistent group computes, one after another: they lie below each other, far apart. */
export const roundsOf = ({ loop }: Axis): string => `${loop}.rounds`;
/** Persistent groups beside each other that copy together what all of them read: the columns. */
export const clusterOf = ({ stage }: WarpProduct): string => `${stage.name}.cluster`;
/** Steps whose operands lie in the memory of the group at a time. */
export const stagesOf = ({ stage }: WarpProduct): string => `${stage.name}.stages`;

const mostWarps = 8;
const mostTiles = 8;
const neighbours: readonly number[] = [1, 2, 4, 8, 16];
const rounds: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 16];
const clusters: readonly number[] = [1, 2, 4];
/** Products that run on their own read a step while the next ones are copied: one stage more. */
const [stages, stagesInPanels] = [
  [2, 3, 4, 5],
  [3, 4, 5, 6],
] as const;

/** Tiles of the depth in a step: whole panels, where operands lie in such. */
const unrollsOf = ({ panel, depth }: TileShape): readonly number[] =>
  panel === null ? [1, 2, 4] : [panel / depth, (2 * panel) / depth];

export const tilesAlong = ({ extent, tile }: Axis): number => extent / tile;

export const divides =
  (axis: Axis) =>
  (value: number): boolean =>
    tilesAlong(axis) % value === 0;

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, at) => at + 1);

/** Adds the decisions, and what follows from them. */
export function addGroupTiles(draft: Draft, warps: WarpProduct): Draft {
  const { rows, columns, depth, tile } = warps;
  const tiled = [rows, columns].reduce(addTiles, draft);
  const stepped = tunable(tiled, unrollOf(depth), unrollsOf(tile).filter(divides(depth)));
  const counted = tilesOf(
    stepped,
    stepsOf(depth),
    tilesAlong(depth),
    unrollOf(depth),
    `steps of ${depth.name}, of some tiles each`,
  );
  const staged = tunable(counted, stagesOf(warps), tile.panel === null ? stages : stagesInPanels);
  const beside = tunable(staged, neighboursOf(rows), neighbours.filter(divides(rows)));
  if (!isPersistent(warps)) return beside;
  return tunable(tunable(beside, roundsOf(rows), rounds.filter(divides(rows))), clusterOf(warps), clusters);
}

function addTiles(draft: Draft, axis: Axis): Draft {
  const warped = tunable(draft, warpsOf(axis), upTo(mostWarps).filter(divides(axis)));
  const tiled = tunable(warped, registerOf(axis), upTo(mostTiles).filter(divides(axis)));
  const grouped = product(
    tiled,
    groupTilesOf(axis),
    [warpsOf(axis), registerOf(axis)],
    `tiles of ${axis.name} in a group of threads`,
  );
  return tilesOf(grouped, groupsOf(axis), tilesAlong(axis), groupTilesOf(axis), `groups of threads along ${axis.name}`);
}
