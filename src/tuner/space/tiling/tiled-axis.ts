// Cuts of each axis by multi-level tiling: the loops that an axis becomes, their names, and the tunables of their
// extents.
//
//   vector axis    j → j.0 outer, j.1 tiles of a block, j.2 vectors of a register tile, j.3 lanes
//   other spatial  i → i.0 outer, i.1 tiles of a block, i.2 rows of a register tile, of an intrinsic that has rows i.3 those
//   last reduce    k → k.0 outer, k.1 steps of a block, k.2 unrolled, with an intrinsic k.3 what it adds up
//   other reduce   whole inside the blocks; or, for strict sums and where it is too long, outside of them

import { byteSize, type CpuTarget, loopName } from "../../../compiler/index.ts";
import type { CpuTask } from "../../data/task.ts";
import { coreOf } from "../../prior/machine-model.ts";
import { constrain, type Draft, derived, product, sortedUnique, tilesOf, tunable, valuesOf } from "../draft/draft.ts";
import {
  type Access,
  dependsOn,
  keepsOrder,
  loopOf,
  type SchedulableStage,
  type SpatialAxis,
} from "../draft/schedulable-stage.ts";

export interface TiledAxis {
  readonly axis: SpatialAxis;
  readonly role: "vector" | "spatial" | "reduce" | "whole" | "outer";
  /** Name of the axis's first loop, and prefix of its tunables. */
  readonly loop: string;
  /**
   * Number of lanes of the vector axis; of values that an intrinsic adds up along the tiled reduce axis; of rows that an intrinsic computes
   * at once along another axis; else 1.
   */
  readonly lanes: number;
  /** Whether a register tile may have more than one row (or vector) along it. */
  readonly isTiled: boolean;
}

/**
 * Returns the axes, besides the vector axis, along which a register tile may have several rows: some operand stays
 * while the axis moves, and the stage has all of the axis. At most the two innermost are taken, as every tiled axis
 * doubles the copies that cut tails make.
 */
function rowAxes({ spatial, reads }: SchedulableStage): readonly SpatialAxis[] {
  const reuses = (axis: SpatialAxis): boolean =>
    reads.length === 1 || reads.some((read) => !dependsOn(read, axis.name));
  return spatial
    .slice(0, -1)
    .filter((axis) => axis.extent > 1 && (!axis.isPart || axis.size) && reuses(axis))
    .slice(-2);
}

/**
 * Gives each axis its role. The longest reduce axis is tiled. Where the order of the reference holds, the last one is, and the
 * others are outside; they are outside also where they are so long that a panel would not fit L1.
 */
export const tiledAxes = (stage: SchedulableStage, lanes: number, task: CpuTask): readonly TiledAxis[] => {
  const { numerics, target } = task;
  const vector = stage.spatial.at(-1)!;
  const longest = stage.reduce.reduce((best, axis) => (axis.extent >= best.extent ? axis : best), stage.reduce[0]!);
  const inOrder = numerics === "strict" || keepsOrder(stage, numerics);
  const tileable = inOrder ? stage.reduce.at(-1)! : longest;
  const others = stage.reduce.filter((axis) => axis !== tileable).map((axis) => axis.extent);
  const isOutside = inOrder || mostBlockOf(stage, lanes, others, target) < coreOf(target).leastBlock;
  const rows = rowAxes(stage);
  return [
    ...stage.spatial
      .filter(({ isOutside }) => !isOutside)
      .map((axis): TiledAxis => {
        const loop = loopOf(stage, axis);
        if (axis === vector) return { axis, role: "vector", loop, lanes, isTiled: true };
        return { axis, role: "spatial", loop, lanes: 1, isTiled: rows.includes(axis) };
      }),
    ...stage.reduce.map((axis): TiledAxis => {
      const role = axis === tileable ? "reduce" : isOutside ? "outer" : "whole";
      return { axis, role, loop: loopName(stage.name, axis.name), lanes: 1, isTiled: false };
    }),
  ];
};

/** Returns the elements of the tiled reduce axis whose vectors fill L1, together with all of the other reduce axes. */
function mostBlockOf(
  stage: SchedulableStage,
  lanes: number,
  others: readonly number[],
  { l1Bytes }: CpuTarget,
): number {
  const bytes = Math.max(...stage.reads.map((read) => byteSize[read.dtype]));
  return Math.floor(l1Bytes / others.reduce((product, extent) => product * extent, lanes * bytes));
}

/** Returns the elements of the tiled reduce axis that fit L1 with what stays whole inside its blocks. */
const mostBlock = (stage: SchedulableStage, axes: readonly TiledAxis[], target: CpuTarget): number => {
  const whole = axes.filter((it) => it.role === "whole").map((it) => it.axis.extent);
  return Math.max(1, mostBlockOf(stage, Math.max(...axes.map((it) => it.lanes)), whole, target));
};

/** Says whether an intrinsic computes several rows at once along an axis. */
export const isInRows = ({ role, lanes }: TiledAxis): boolean => role === "spatial" && lanes > 1;

/** Factors of its innermost loop: none, if an intrinsic computes one row at a time. */
export const rowsOf = (it: TiledAxis): readonly number[] => (isInRows(it) ? [it.lanes] : []);

/** Rows (or vectors, or tiles of an intrinsic) of a register tile, tiles of a block, elements of a block. */
export const registerOf = (it: TiledAxis): string => `${it.loop}.register`;
export const blockTilesOf = (it: TiledAxis): string => `${it.loop}.block-tiles`;
export const registerElementsOf = (it: TiledAxis): string => `${it.loop}.register-elements`;
export const blockOf = (it: TiledAxis): string => `${it.loop}.block`;
export const surplusOf = (it: TiledAxis): string => `${it.loop}.surplus`;
export const stepsOf = (it: TiledAxis): string => `${it.loop}.steps`;
export const unrollOf = (it: TiledAxis): string => `${it.loop}.unroll`;

/** Adds the tunables of an axis and the variables that follow; `blocks`: sizes that a block of the reduce axis may have. */
export function tileAxis(draft: Draft, it: TiledAxis, target: CpuTarget, blocks: readonly number[]): Draft {
  switch (it.role) {
    case "vector":
    case "spatial":
      return tileSpatial(draft, it, target);
    case "reduce":
      return tileReduce(draft, it, blocks);
    case "whole":
    case "outer":
      return draft;
  }
}

function tileSpatial(draft: Draft, it: TiledAxis, target: CpuTarget): Draft {
  const { extent, name, size } = it.axis;
  const { mostTileVectors, operandRegisters } = coreOf(target);
  const mostRegisters = it.role === "vector" ? mostTileVectors : target.vectorRegisters - operandRegisters;
  const vectors = Math.ceil(extent / it.lanes);
  const most = it.isTiled ? Math.min(vectors, mostRegisters) : 1;
  const register = registerOf(it);
  const registered = product(
    tunable(draft, register, range(1, most)),
    registerElementsOf(it),
    [register, it.lanes],
    `elements of ${name} in a register tile`,
  );
  const tiles = `${it.loop}.tiles`;
  const tiled = size
    ? tilesOfPart(registered, it, size)
    : tilesOf(registered, tiles, extent, registerElementsOf(it), `register tiles along ${name}`);
  const counts = sortedUnique(valuesOf(tiled, `${it.loop}.tiles`).flatMap(divisorsOf));
  const blocks = `${it.loop}.blocks`;
  const whole = constrain(derived(tunable(tiled, blockTilesOf(it), counts), blocks, counts), {
    kind: "product",
    result: `${it.loop}.tiles`,
    factors: [blockTilesOf(it), blocks],
    why: `all blocks of ${name} have as many register tiles`,
    role: "definition",
  });
  const block = product(
    whole,
    blockOf(it),
    [registerElementsOf(it), blockTilesOf(it)],
    `elements of ${name} in a block`,
  );
  return size ? block : countSurplus(block, it);
}

/** Adds register tiles that fill a part of an axis exactly: a surplus would be computed. */
function tilesOfPart(draft: Draft, it: TiledAxis, size: string): Draft {
  const tiles = `${it.loop}.tiles`;
  const counts = sortedUnique(valuesOf(draft, size).flatMap(divisorsOf));
  return constrain(derived(draft, tiles, counts), {
    kind: "product",
    result: size,
    factors: [registerElementsOf(it), tiles],
    why: `register tiles along ${it.axis.name} fill its part`,
    role: "definition",
  });
}

/** Adds the elements by which the register tiles overshoot the axis: 0 where there is no tail to decide about. */
function countSurplus(draft: Draft, it: TiledAxis): Draft {
  const { extent, name } = it.axis;
  const covered = `${it.loop}.covered`;
  const why = `elements of ${name} in all tiles`;
  const tiles = product(draft, covered, [`${it.loop}.tiles`, registerElementsOf(it)], why);
  // A whole tile of surplus would be a tile too many.
  const most = Math.max(...valuesOf(draft, registerElementsOf(it))) - 1;
  return constrain(derived(tiles, surplusOf(it), { from: 0, to: most }), {
    kind: "sum",
    result: covered,
    terms: [{ coefficient: 1, term: surplusOf(it) }],
    offset: extent,
    why: `surplus of the register tiles of ${name}`,
    role: "definition",
  });
}

/** Adds blocks of one size wherever the extent allows: every other size costs a copy of all that is inside the block. */
function tileReduce(draft: Draft, it: TiledAxis, blocks: readonly number[]): Draft {
  const { name } = it.axis;
  const unrolls = [1, 2].filter((count) => count * it.lanes <= Math.max(...blocks));
  const steps = unrolls.flatMap((unroll) => {
    const step = unroll * it.lanes;
    return blocks.filter((block) => block % step === 0).map((block) => block / step);
  });
  const tunables = tunable(tunable(draft, unrollOf(it), unrolls), stepsOf(it), steps);
  return constrain(derived(tunables, blockOf(it), blocks), {
    kind: "product",
    result: blockOf(it),
    factors: [stepsOf(it), unrollOf(it), ...(it.lanes > 1 ? [it.lanes] : [])],
    why: `elements of ${name} in a block`,
    role: "definition",
  });
}

/**
 * Returns sizes of blocks of the tiled reduce axis: divisors of its extent from the least that is offered on, and the extent
 * itself; with fewer than three, also equal parts rounded up. If none is small enough for the cache, the largest equal part that is joins them. With
 * an intrinsic they are rounded up to multiples of what it adds up. Where an operand comes from memory, smaller sizes are offered:
 * prefetchers follow few rows of it.
 */
export function blockSizes(stage: SchedulableStage, axes: readonly TiledAxis[], target: CpuTarget): readonly number[] {
  const { axis, lanes } = axes.find((it) => it.role === "reduce")!;
  const comesFromMemory = stage.reads.some((read) => isBeyondL3(bytesOf(read, axes), target));
  const { leastOfferedBlock, leastBlockFromMemory } = coreOf(target);
  const least = comesFromMemory ? leastBlockFromMemory : leastOfferedBlock;
  const sizes = sizesOf(axis, mostBlock(stage, axes, target), least);
  return lanes === 1 ? sizes : sortedUnique(sizes.map((size) => Math.ceil(size / lanes) * lanes));
}

/** Says whether an operand of this size does not stay in L3: other data leaves it no more than half. */
export const isBeyondL3 = (bytes: number, target: CpuTarget): boolean =>
  bytes > coreOf(target).residentShareOfL3 * target.l3Bytes;

const bytesOf = (read: Access, axes: readonly TiledAxis[]): number =>
  axes.reduce((bytes, { axis }) => bytes * (dependsOn(read, axis.name) ? axis.extent : 1), byteSize[read.dtype]);

function sizesOf({ extent }: SpatialAxis, most: number, least: number): readonly number[] {
  const divisors = divisorsOf(extent).filter((size) => size >= least || size === extent);
  const parts = divisors.length < 3 && extent > 64 ? range(1, 8).map((count) => Math.ceil(extent / count)) : [];
  const sizes = sortedUnique([...divisors, ...parts.filter((size) => size >= least)]);
  return sizes[0]! <= most ? sizes : [Math.ceil(extent / Math.ceil(extent / most)), ...sizes];
}

const divisorsOf = (value: number): number[] => range(1, value).filter((divisor) => value % divisor === 0);

const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(1, last - first + 1) }, (_, at) => first + at);
