// Limits of the machine for a group of threads, as constraints over its tiles.

import { type AcceleratorTarget, byteSize, type DType } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { atMost, type Draft, product, sum, valuesOf } from "../draft/draft.ts";
import type { TiledSum } from "./sum-axes.ts";
import { groupsOf, lanesOf, powerFrom, registerOf, slicesOf, threadsOf, unrollOf } from "./tile-choices.ts";

/** Threads of a group, sums that each of them holds, its registers, and groups of the launch. */
export const allThreadsOf = ({ stage }: TiledSum): string => `${stage.name}.threads`;
export const sumsOf = ({ stage }: TiledSum): string => `${stage.name}.sums`;
export const registersOf = ({ stage }: TiledSum): string => `${stage.name}.registers`;
export const allGroupsOf = ({ stage }: TiledSum): string => `${stage.name}.groups`;

/** Bytes of an element in the memory of a group: narrow ones have a word each, as threads store them one by one. */
export const bytesInGroup = (dtype: DType): number => Math.max(threadSizes.groupWord, byteSize[dtype]);

/** Ways that a tile of a thread is summed in: from where operands lie, from copies in the memory of the group, and in slices of the depth. */
export type TileForm = "direct" | "copied" | "sliced";

export function limitGroups(draft: Draft, tiles: TiledSum, target: AcceleratorTarget, form: TileForm): Draft {
  const slices = form === "sliced" ? slicesOf(tiles.depth) : null;
  const threads = [...tiles.tiled.map(threadsOf), ...(slices ? [slices] : [])];
  const most = target.limits.threadsPerGroup ?? 1;
  const least = Math.min(most, threadSizes.leastThreads, mostThreads(tiles, slices !== null));
  const counted = product(draft, allThreadsOf(tiles), threads, "threads of a group");
  const few = atMost(counted, allThreadsOf(tiles), most, `a group has at most ${most} threads`);
  const enough = atMost(few, least, allThreadsOf(tiles), `a group has at least ${least} threads`);
  return limitLaunch(limitRegisters(limitDepth(enough, tiles, target), tiles, target, form), tiles);
}

/** A group has fewer threads along z than along the other axes, where the machine says so. */
function limitDepth(draft: Draft, { tiled }: TiledSum, { limits }: AcceleratorTarget): Draft {
  const most = limits.threadsAlongZ ?? threadSizes.mostAlongZ;
  const deep = tiled.find(({ coordinate }) => coordinate === "threadIdx.z");
  if (!deep || valuesOf(draft, threadsOf(deep)).every((threads) => threads <= most)) return draft;
  return atMost(draft, threadsOf(deep), most, `a group has at most ${most} threads along ${deep.name}`);
}

/** Threads that the extents have work for. */
function mostThreads({ tiled }: TiledSum, isSliced: boolean): number {
  const along = tiled.map(({ extent }) => Math.min(powerFrom(extent), threadSizes.threads.at(-1)!));
  return along.reduce((all, it) => all * it, isSliced ? threadSizes.slices[0] : 1);
}

/** Elements of the depth that are written out are loaded ahead, but not those of copies. */
function limitRegisters(draft: Draft, tiles: TiledSum, { limits }: AcceleratorTarget, form: TileForm): Draft {
  const { stage, columns, tiled, depth } = tiles;
  const [sums, registers] = [sumsOf(tiles), registersOf(tiles)];
  const { mostSums } = threadSizes;
  const registersBeside = threadSizes.registersOfTiles[form];
  const vectors = `${columns.loop}.vector-elements`;
  const across = product(draft, vectors, [registerOf(columns), lanesOf(columns)], `${columns.name} of a thread`);
  const rows = tiled.filter((axis) => axis !== columns).map(registerOf);
  const held = product(across, sums, [vectors, ...rows], `sums of ${stage.name} that a thread holds`);
  const few = atMost(held, sums, mostSums, `a thread holds at most ${mostSums} sums of ${stage.name} in registers`);
  const ahead = form === "copied" ? [] : [unrollOf(depth)];
  const terms = [sums, vectors, ...rows, ...ahead].map((term) => ({ coefficient: 1, term }));
  const needed = sum(few, registers, terms, registersBeside, "registers of a thread, about");
  const most = limits.registersPerThread ?? 1;
  return atMost(needed, registers, Math.max(most, registersBeside + 1), `a thread has ${most} registers`);
}

function limitLaunch(draft: Draft, tiles: TiledSum): Draft {
  const outer = tiles.outer.reduce((count, { extent }) => count * extent, 1);
  const groups = [outer, ...(tiles.parts ? [tiles.parts.count] : []), ...tiles.tiled.map(groupsOf)];
  const counted = product(draft, allGroupsOf(tiles), groups, `groups of threads for ${tiles.stage.name}`);
  const { mostGroups } = threadSizes;
  return atMost(counted, allGroupsOf(tiles), mostGroups, `a launch has at most ${mostGroups} groups`);
}
