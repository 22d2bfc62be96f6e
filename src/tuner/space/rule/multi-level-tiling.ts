// A reduction with a vectorizable axis: register tiles of accumulators, blocks for two levels of cache, operands packed
// into panels or read where they are, in the orders of `tiling/order.ts`. GEMM, convolution, pooling along channels.

import type { CpuTarget, Operand, SplitTail } from "../../../compiler/index.ts";
import {
  atMost,
  type Draft,
  decide,
  estimate,
  instruct,
  instructWhen,
  splitWithTail,
  tailChoices,
  tunable,
} from "../draft/draft.ts";
import { type Access, dependsOn, isPlain, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { isTileable, isTransposable, isVectorizable } from "../draft/vector-axis.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { tilingEstimate } from "../tiling/estimate.ts";
import { limitCaches, limitConflicts, limitRegisters } from "../tiling/limits.ts";
import { addOrderChoice, inEachOrder, loopOrders, type OrderChoice, orderChoice } from "../tiling/order.ts";
import { addPackChoices, type PackChoice, packChoices, packIn } from "../tiling/packing.ts";
import { sumsForRows } from "../tiling/sums-in-tiles.ts";
import {
  blockSizes,
  blockTilesOf,
  isInRows,
  registerOf,
  rowsOf,
  stepsOf,
  surplusOf,
  type TiledAxis,
  tileAxis,
  tiledAxes,
  unrollOf,
} from "../tiling/tiled-axis.ts";
import { forIntrinsic, type Tiling, type TilingRule } from "./tiling-rule.ts";

export const multiLevelTiling: TilingRule = {
  name: "multi-level-tiling",

  applies: (stage, { task }) => isTileable(stage) && lanesFor(stage, stage.spatial.at(-1)!.extent, task.target) > 1,

  apply(draft, stage, context) {
    const { task } = context;
    const axes = tiledAxes(stage, lanesFor(stage, stage.spatial.at(-1)!.extent, task.target), task);
    const tiling: Tiling = { stage, axes, packs: packChoices(stage, axes), intrinsic: null };
    const tiled = tileStage(draft, tiling, task.target);
    if (!isEasy(stage)) return [...context.otherwise(draft, stage.name), tiled];
    return [tiled, ...(packsForFew(stage) ? context.otherwise(draft, stage.name) : [])];
  },

  reductionOf: (stage) => stage,
  axesOf: (_, reduction, lanes, { task }) => tiledAxes(reduction, lanes, task),
  tile: (draft, _, tiling, { task }) => tileStage(draft, tiling, task.target),
  laneLoop: ({ axes }) => `${(axes.find(isInRows) ?? axes.find((it) => it.role === "vector")!).loop}.3`,
};

/** Says whether vectors along the last axis are the best way by far: operands lie along it, or are panels of matrices. */
function isEasy(stage: SchedulableStage): boolean {
  const { name } = stage.spatial.at(-1)!;
  return stage.reads.every(
    (read) => isVectorizable(read, name) || (isPlain(read) && isTransposable(stage, read, name)),
  );
}

/** Most results that use an element of a pack so few times that it might as well stay where it is. */
const fewUses = 128;

/** Says whether an operand can only lie along the vectors in a pack, whose elements few results use: the second factor of A · Bᵀ of few rows. */
function packsForFew(stage: SchedulableStage): boolean {
  const { name } = stage.spatial.at(-1)!;
  // Parts of a result share a pack.
  const axes = stage.block.axes.filter(({ role }) => role === "spatial");
  const usesOf = (read: Access): number =>
    axes.filter((axis) => !dependsOn(read, axis.name)).reduce((uses, { extent }) => uses * extent, 1);
  return stage.reads.some((read) => !isVectorizable(read, name) && usesOf(read) <= fewUses);
}

/** Adds the tunables of a tiling, their limits and the instructions. */
function tileStage(named: Draft, tiling: Tiling, target: CpuTarget): Draft {
  const { stage, axes, packs } = tiling;
  const draft = decide(named, `${stage.name} tiled${forIntrinsic(tiling)}`);
  const blocks = blockSizes(stage, axes, target);
  const tiled = axes.reduce((result, it) => tileAxis(result, it, target, blocks), draft);
  const order = orderChoice(stage, loopOrders(axes));
  const ordered = addOrderChoice(limitRegisters(tiled, stage, axes, target), order);
  const limited = limitCaches(ordered, stage, axes, order, target);
  const chosen = limitConflicts(addPackChoices(limited, packs), stage, axes, packs, target);
  const estimated = estimate(
    chosen,
    tilingEstimate(stage, axes, order, packs, target, { masked: axes.some(isInRows) ? "all" : "none" }),
  );
  return schedule(estimated, tiling, order, target);
}

function schedule(draft: Draft, { stage, axes, packs }: Tiling, order: OrderChoice, target: CpuTarget): Draft {
  // Sums that lie in tiles have no part of one: a tail is masked, as all operands are padded packs.
  const tailFor = (given: Draft, it: TiledAxis): ReturnType<typeof tailOf> =>
    axes.some(isInRows) ? [given, it.axis.size ? "perfect" : "mask"] : tailOf(given, stage, it, packs);
  const splits = axes.reduce((result, it) => splitAxis(result, it, tailFor), draft);
  const { loop: vector, lanes } = axes.find((it) => it.role === "vector")!;
  const placed = inEachOrder(splits, order, (result, it, when) =>
    packIn(instructWhen(result, when, { kind: "reorder", loops: it.loops }), packs, { order: it, when, lanes, target }),
  );
  const unrolled = axes.flatMap((it) => (it.role === "spatial" || it.role === "reduce" ? [`${it.loop}.2`] : []));
  const inner = instruct(
    placed,
    { kind: "vectorize", loop: `${vector}.3` },
    ...[...unrolled, `${vector}.2`].map((loop) => ({ kind: "unroll", loop }) as const),
  );
  const summed = inEachOrder(inner, order, (result, { tileLoop }, when) =>
    instructWhen(result, when, { kind: "cache-write", block: stage.name, loop: tileLoop, scope: "register" }),
  );
  const moved = axes.filter(isInRows).flatMap((it) => ["init", "store"].map((copy) => `${it.loop}.3.${copy}`));
  return instruct(
    summed,
    ...sumsForRows(stage, `${stage.name}.acc`, axes),
    ...moved.map((loop) => ({ kind: "unroll", loop }) as const),
  );
}

function splitAxis(
  draft: Draft,
  it: TiledAxis,
  tailFor: (draft: Draft, it: TiledAxis) => ReturnType<typeof tailOf>,
): Draft {
  const tunables = (...names: string[]): Operand[] => names.map((name) => ({ tunable: name }));
  switch (it.role) {
    case "vector": {
      const [withTail, tail] = tailFor(draft, it);
      return splitWithTail(withTail, it.loop, [0, ...tunables(blockTilesOf(it), registerOf(it)), it.lanes], tail);
    }
    case "spatial": {
      const [withTail, tail] = tailFor(draft, it);
      return splitWithTail(withTail, it.loop, [0, ...tunables(blockTilesOf(it), registerOf(it)), ...rowsOf(it)], tail);
    }
    case "reduce": {
      const group = it.lanes > 1 ? [it.lanes] : [];
      return splitWithTail(draft, it.loop, [0, ...tunables(stepsOf(it), unrollOf(it)), ...group], "cut");
    }
    case "whole":
    case "outer":
      return draft;
  }
}

/**
 * Returns the tail of an axis. Computing a tile's surplus is harmless where every operand that moves along the axis is a
 * padded pack.
 */
function tailOf(
  draft: Draft,
  stage: SchedulableStage,
  it: TiledAxis,
  packs: readonly PackChoice[],
): [Draft, SplitTail | { tunable: string }] {
  if (it.axis.size) return [draft, "perfect"];
  const moving = stage.reads
    .filter((read) => dependsOn(read, it.axis.name))
    .map((read) => packs.find(({ packable }) => packable.access === read));
  if (moving.includes(undefined)) return [draft, "cut"];
  const name = `${it.loop}.tail`;
  const { name: axis } = it.axis;
  const chosen = atMost(
    tunable(draft, name, tailChoices.keys()),
    name,
    surplusOf(it),
    `there is a tail of ${axis} to mask`,
  );
  const masked = moving.reduce(
    (result, pack) =>
      pack?.tunable ? atMost(result, name, pack.tunable, `a masked tail of ${axis} is padded by a pack`) : result,
    chosen,
  );
  return [masked, { tunable: name }];
}
