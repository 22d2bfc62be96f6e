// Estimates what a tiled stage does to the machine: instructions of its inner loop, traffic between the caches, packing. The
// traffic follows Low et al., "Analytical Modeling Is Enough for High-Performance BLIS" (TOMS 2016): of a register
// tile's two panels one stays in L1 while the other streams from L2; blocks come from L3 once an outer iteration.

import { type Assignment, byteSize, type CpuTarget } from "../../../compiler/index.ts";
import { type CoreModel, coreOf } from "../../prior/machine-model.ts";
import type { RankingFacts } from "../../prior/ranker.ts";
import type { Estimate } from "../draft/draft.ts";
import { stepsOfStride } from "../draft/near-lanes.ts";
import { type Access, dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { isStrided, isVectorizableInside } from "../draft/vector-axis.ts";
import { type LoopOrder, type OrderChoice, orderBy } from "./order.ts";
import { type PackChoice, packedBy } from "./packing.ts";
import {
  blockOf,
  blockTilesOf,
  isBeyondL3,
  registerElementsOf,
  registerOf,
  type TiledAxis,
  unrollOf,
} from "./tiled-axis.ts";

/** Extents that an assignment gives to one axis. */
interface TiledExtents {
  readonly it: TiledAxis;
  /** Elements of the axis in a register tile (reduce: 1), in a block, in all. */
  readonly register: number;
  readonly block: number;
  readonly all: number;
  /** Elements that the operator asks for; the others are padding. */
  readonly asked: number;
  /**
   * Elements that are computed: whole groups or lanes, or, where a tail is masked, whole register tiles. An intrinsic takes no part of a
   * vector, so that each element of a last part counts as all that the intrinsic would compute at once.
   */
  readonly computed: number;
  /** Number of iterations of the outer loop. */
  readonly blocks: number;
  /** Number of register tiles along the axis (reduce: 1). */
  readonly tiles: number;
}

/** Axes along which all of a register tile is computed, whatever its assignment: those of lanes, or all that are tiled. */
export type Masked = "none" | "vector" | "all";

/** End of a register tile: which axes are computed beyond their extents, and where its sums go. */
export interface TileEnd {
  /** Default: "none". */
  readonly masked?: Masked;
  /** Whether a map takes the sums from the registers; default: they are stored. */
  readonly isFinished?: boolean;
}

/** Estimates a tiled stage. */
export function tilingEstimate(
  stage: SchedulableStage,
  axes: readonly TiledAxis[],
  order: OrderChoice,
  packs: readonly PackChoice[],
  target: CpuTarget,
  { masked = "none", isFinished = false }: TileEnd = {},
): Estimate {
  const group = axes.reduce((product, it) => product * (it.role === "reduce" ? it.lanes : 1), 1);
  return (assignment) =>
    factsOf(
      stage,
      axes.map((it) => extentsOf(it, stage, assignment, masked === "all" || masked === it.role, group)),
      orderBy(order, assignment),
      packedBy(packs, assignment),
      assignment,
      { target, isSpilling: isFinished && coreOf(target).loadsFirst },
    );
}

function extentsOf(
  it: TiledAxis,
  { block: { axes } }: SchedulableStage,
  assignment: Assignment,
  isMasked: boolean,
  group: number,
): TiledExtents {
  const all = it.axis.size ? assignment[it.axis.size]! : it.axis.extent;
  const asked = Math.min(all, axes.find(({ name }) => name === it.axis.name)!.extent);
  const upTo = (granule: number): number => Math.ceil(all / granule) * granule;
  const common = { it, all, asked, register: 1, tiles: 1 };
  if (it.role === "whole") return { ...common, computed: all, block: all, blocks: 1 };
  if (it.role === "outer") return { ...common, computed: all, block: 1, blocks: all };
  const block = Math.min(all, assignment[blockOf(it)]!);
  const blocks = Math.ceil(all / block);
  if (it.role === "reduce") return { ...common, computed: upTo(it.lanes), block, blocks };
  const register = assignment[registerElementsOf(it)]!;
  const tiles = blocks * Math.min(assignment[blockTilesOf(it)]!, Math.ceil(all / register));
  const isWhole = isMasked || assignment[`${it.loop}.tail`] === 1;
  const part = isWhole || group === 1 ? 0 : all % it.lanes;
  const computed = part > 0 ? all - part + part * it.lanes * group : upTo(isWhole ? register : it.lanes);
  return { ...common, computed, block, blocks, register, tiles };
}

const reducedOf = (extents: readonly TiledExtents[]): readonly TiledExtents[] =>
  extents.filter(({ it }) => it.role === "reduce" || it.role === "whole" || it.role === "outer");

const productOf = (extents: readonly TiledExtents[], pick: (it: TiledExtents) => number): number =>
  extents.reduce((total, it) => total * pick(it), 1);

function factsOf(
  stage: SchedulableStage,
  extents: readonly TiledExtents[],
  order: LoopOrder,
  packed: readonly PackChoice[],
  assignment: Assignment,
  { target, isSpilling }: { readonly target: CpuTarget; readonly isSpilling: boolean },
): RankingFacts {
  const vector = extents.find(({ it }) => it.role === "vector")!;
  const rows = extents.filter(({ it }) => it.role === "spatial");
  const reduce = reducedOf(extents);
  const vectors = assignment[registerOf(vector.it)]!;
  const height = productOf(rows, rowsOf);
  const accumulators = vectors * height;
  const reduceBlocks = productOf(reduce, ({ blocks }) => blocks);
  const tiles = vector.tiles * productOf(rows, (it) => it.tiles);
  const unroll = productOf(reduce, ({ it }) => unrolledBy(it, assignment));
  const traffic = stage.reads.map((read) => trafficOf(read, extents, { order, packed, target }));
  const unpacked = stage.reads.filter((read) => !packed.some(({ packable }) => packable.access === read));
  const walks = unpacked.reduce((total, read) => total + walksPerStep(read, extents, coreOf(target)), 0);
  const steps = accumulators * Math.max(1, stage.operations / 2);
  const loadedAs = (read: Access): number =>
    unpacked.includes(read) && isStrided(read, vector.it.axis.name) ? stepsOfStride(read, vector.it) : 1;
  const loads = stage.reads.reduce((total, read) => total + loadedAs(read) * loadsOf(read, extents, assignment), 0);
  const sum = (pick: (it: Traffic) => number): number => traffic.reduce((total, it) => total + pick(it), 0);
  const result = productOf([vector, ...rows], ({ all }) => all) * byteSize[stage.dtype];
  return {
    flops: productOf(extents, ({ asked }) => asked) * stage.operations,
    waste: productOf(extents, ({ computed, asked }) => computed / asked),
    lanes: productOf([vector, ...rows, ...reduce], ({ it }) => it.lanes),
    multiplyAddShare: stage.operations >= 2 ? 2 / stage.operations : 0,
    accumulators,
    liveRegisters: Math.max(
      assignment[`${stage.name}.live-registers`]!,
      isSpilling ? accumulators + unroll * loads + 1 : 0,
    ),
    loadsPerOperation: loads / steps,
    bytesFromL2: sum(({ fromL2 }) => fromL2) + 2 * result * reduceBlocks,
    bytesFromL3: sum(({ fromL3 }) => fromL3) + result * reduceBlocks,
    bytesFromMemory: sum(({ fromMemory }) => fromMemory) + result,
    packedBytes: sum(({ packed: copied }) => copied),
    loopIterations:
      tiles * productOf(reduce, ({ it, all }) => Math.ceil(all / (it.lanes * unrolledBy(it, assignment)))),
    // Threads share the outermost loop.
    parallelTasks: target.threads > 1 ? (order.vectorOutside ? vector : (rows[0] ?? vector)).blocks : 1,
    bodyInstructions: unroll * (accumulators * stage.operations + loads),
    tilesBegun: tiles * reduceBlocks,
    pageWalksPerOperation: walks / steps,
    unfollowedBytes: sum(({ unfollowed }) => unfollowed),
  };
}

/** Returns the steps of an axis that are unrolled. A last iteration may have fewer of them. */
const unrolledBy = (it: TiledAxis, assignment: Assignment): number =>
  it.role === "reduce" ? assignment[unrollOf(it)]! : 1;

/** Counts the vectors, or elements for all lanes, that one step of a register tile loads of an operand. */
const loadsOf = (read: Access, extents: readonly TiledExtents[], assignment: Assignment): number =>
  extents.reduce((count, each) => {
    const { it } = each;
    if (!dependsOn(read, it.axis.name)) return count;
    return count * (it.role === "vector" ? assignment[registerOf(it)]! : rowsOf(each));
  }, read.count);

/** Rows of a register tile along an axis; those that an intrinsic computes at once are one. */
const rowsOf = ({ it, register }: TiledExtents): number => (it.role === "spatial" ? register / it.lanes : register);

interface Traffic {
  readonly fromL2: number;
  readonly fromL3: number;
  readonly fromMemory: number;
  /** Those of the bytes from memory that prefetchers do not follow. */
  readonly unfollowed: number;
  /** Bytes that packing reads, all repetitions together. */
  readonly packed: number;
}

interface TilingChoice {
  readonly order: LoopOrder;
  readonly packed: readonly PackChoice[];
  readonly target: CpuTarget;
}

function trafficOf(read: Access, extents: readonly TiledExtents[], { order, packed, target }: TilingChoice): Traffic {
  const core = coreOf(target);
  const own = extents.filter(({ it }) => dependsOn(read, it.axis.name));
  const others = extents.filter(({ it }) => !dependsOn(read, it.axis.name) && it.role !== "whole");
  const bytes = productOf(own, ({ all }) => all) * byteSize[read.dtype];
  const isVector = own.some(({ it }) => it.role === "vector");
  const runs = productOf(own, ({ it, all }) => (it.role === "reduce" ? all / it.lanes : all));
  const pack = packed.find(({ packable }) => packable.access === read);
  const tilesOfOthers = productOf(others, ({ tiles }) => tiles);
  const blocksOfOthers = productOf(others, ({ blocks }) => blocks);
  // The operand whose tile loop is the outer one keeps its panel in L1, if it fits, while the other's panels stream past.
  const panelBytes = productOf(own, ({ it, register, block, all }) =>
    it.role === "reduce" ? block : it.role === "whole" ? all : register,
  );
  const fits = panelBytes * byteSize[read.dtype] <= target.l1Bytes && (pack || !aliases(read, own, core));
  const stays = isVector === order.vectorOutside && fits;
  const repacked = isVector === order.vectorOutside ? 1 : blocksOfOthers;
  const isFollowed = !isBeyondL3(bytes, target) || pagesSideBySide(read, extents, core) <= core.pagesFollowed;
  return {
    fromL2: bytes * (stays ? blocksOfOthers : tilesOfOthers),
    fromL3: bytes * blocksOfOthers,
    fromMemory: bytes,
    unfollowed: isFollowed ? 0 : bytes,
    // A pack that is made once for all parts costs next to nothing in one of them.
    packed: pack && !pack.isOnce ? repacked * (isTurned(read, own) ? core.bytesPerTransposed * runs : 2 * bytes) : 0,
  };
}

/** Says whether the pack of an operand takes each element, or each group of an intrinsic, out of another row than the one before. */
const isTurned = (read: Access, own: readonly TiledExtents[]): boolean =>
  own.some(({ it }) => it.role === "vector" && !isVectorizableInside(read, it.axis.name));

/**
 * Counts pages beyond the TLB, a step of the reduction: a tile walks down the rows of the vector operand, which lie far apart
 * where it is not packed.
 */
const walksPerStep = (read: Access, extents: readonly TiledExtents[], core: CoreModel): number =>
  Math.max(0, ...walksOf(read, extents, core).map((it) => (it.pages > core.pagesAtHand ? it.pagesPerStep : 0)));

/** Counts the pages that a tile goes through again and again while it moves along the vector axis. */
const pagesSideBySide = (read: Access, extents: readonly TiledExtents[], core: CoreModel): number =>
  Math.max(0, ...walksOf(read, extents, core).map(({ pages }) => pages));

/**
 * Returns the walks down an operand of the vector axis, one for each axis of the reduction: pages a step, and pages in a
 * block.
 */
function walksOf(read: Access, extents: readonly TiledExtents[], { pageBytes }: CoreModel) {
  const isVector = extents.some(({ it }) => it.role === "vector" && dependsOn(read, it.axis.name));
  const reduce = reducedOf(extents);
  return (isVector ? reduce : []).map(({ it, block }) => {
    const pagesPerStep = Math.min(1, distanceAlong(it, read, extents) / pageBytes);
    return { pagesPerStep, pages: block * pagesPerStep };
  });
}

/** Returns the bytes from one element to the next along an axis. */
function distanceAlong({ axis }: TiledAxis, { dims, dtype }: Access, extents: readonly TiledExtents[]): number {
  const at = dims.findIndex((dim) => dim?.has(axis.name));
  if (at < 0) return 0;
  const lengthOf = (dim: ReadonlyMap<string, number> | null): number =>
    extents.reduce((length, { it, all }) => length + (dim?.get(it.axis.name) ?? 0) * (all - 1), 1);
  const inner = dims.slice(at + 1).reduce((product, dim) => product * lengthOf(dim), 1);
  return Math.abs(dims[at]!.get(axis.name)!) * inner * byteSize[dtype];
}

/** Says whether an operand's rows lie so far apart that they fall into few sets of L1 and evict each other. */
function aliases(read: Access, own: readonly TiledExtents[], { aliasBytes }: CoreModel): boolean {
  const last = read.dims.at(-1);
  const row = own.filter(({ it }) => last?.has(it.axis.name)).reduce((extent, { all }) => Math.max(extent, all), 1);
  return read.dims.length > 1 && (row * byteSize[read.dtype]) % aliasBytes === 0;
}
