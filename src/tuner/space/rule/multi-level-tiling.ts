// A reduction with a vectorizable axis: register tiles of accumulators, blocks for two levels of cache, operands packed
// into panels or read where they are, in the orders of `tiling/order.ts`. GEMM, convolution, pooling along channels.

import type { Operand, TailStrategy } from "../../../compiler/index.ts";
import { atMost, type Draft, decide, estimate, instruct, splitWithTail, tailChoices, tunable } from "../draft.ts";
import { dependsOn, isVectorizable, type SchedulableStage } from "../schedulable-stage.ts";
import { tilingEstimate } from "../tiling/estimate.ts";
import { limitCaches, limitRegisters } from "../tiling/limits.ts";
import { type LoopOrder, loopOrders } from "../tiling/order.ts";
import { isVectorPanel, type Packable, packAt, packings, printPacked } from "../tiling/packing.ts";
import {
  blockSizes,
  blockTilesOf,
  mostBlock,
  registerOf,
  stepsOf,
  surplusOf,
  type TiledAxis,
  tileAxis,
  tiledAxes,
  unrollOf,
} from "../tiling/tiled-axis.ts";
import { lanesFor } from "../vector-lanes.ts";
import type { SpaceRule } from "./space-rule.ts";

export const multiLevelTiling: SpaceRule = {
  name: "multi-level-tiling",

  applies(stage, { task }) {
    const vector = stage.spatial.at(-1);
    if (!vector || stage.reduce.length === 0) return false;
    if (lanesFor(stage, vector.extent, task.target) === 1) return false;
    return stage.reads.every((read) => isVectorizable(read, vector.name));
  },

  apply(draft, stage, { task }) {
    const { target } = task;
    const axes = tiledAxes(stage, lanesFor(stage, stage.spatial.at(-1)!.extent, target), task);
    const blocks = blockSizes(axes, mostBlock(stage, axes, target));
    const tiled = axes.reduce((result, it) => tileAxis(result, it, target.vectorRegisters, blocks), draft);
    const limited = limitCaches(limitRegisters(tiled, stage, axes, target), stage, axes, target);
    return loopOrders(axes).flatMap((order) =>
      packings(stage, axes).map((packed) => oneTemplate(limited, stage, axes, order, packed)),
    );
  },
};

function oneTemplate(
  draft: Draft,
  stage: SchedulableStage,
  axes: readonly TiledAxis[],
  order: LoopOrder,
  packed: readonly Packable[],
): Draft {
  const named = decide(draft, `${stage.name}: ${order.name}, ${printPacked(packed)}`);
  const estimated = estimate(named, tilingEstimate(stage, axes, order, packed));
  const splits = axes.reduce((result, it) => splitAxis(result, stage, it, packed), estimated);
  const vector = axes.find((it) => it.role === "vector")!;
  const packs = packed.flatMap((it) =>
    packAt(it, isVectorPanel(it) ? order.packVectorAt : order.packOthersAt, vector.lanes),
  );
  const unrolled = axes.flatMap((it) => (it.role === "spatial" || it.role === "reduce" ? [`${it.loop}.2`] : []));
  return instruct(
    splits,
    { kind: "reorder", loops: order.loops },
    ...packs,
    { kind: "vectorize", loop: `${vector.loop}.3` },
    ...[...unrolled, `${vector.loop}.2`].map((loop) => ({ kind: "unroll", loop }) as const),
    { kind: "cache-write", block: stage.name, loop: order.tileLoop, scope: "register" },
  );
}

function splitAxis(draft: Draft, stage: SchedulableStage, it: TiledAxis, packed: readonly Packable[]): Draft {
  const tunables = (...names: string[]): Operand[] => names.map((name) => ({ tunable: name }));
  switch (it.role) {
    case "vector": {
      const [withTail, tail] = tailOf(draft, stage, it, packed);
      return splitWithTail(withTail, it.loop, [0, ...tunables(blockTilesOf(it), registerOf(it)), it.lanes], tail);
    }
    case "spatial": {
      const [withTail, tail] = tailOf(draft, stage, it, packed);
      return splitWithTail(withTail, it.loop, [0, ...tunables(blockTilesOf(it), registerOf(it))], tail);
    }
    case "reduce":
      return splitWithTail(draft, it.loop, [0, ...tunables(stepsOf(it), unrollOf(it))], "cut");
    case "whole":
    case "outer":
      return draft;
  }
}

/** Computing the surplus of a tile is harmless where every operand that moves along the axis is a padded pack. */
function tailOf(
  draft: Draft,
  stage: SchedulableStage,
  it: TiledAxis,
  packed: readonly Packable[],
): [Draft, TailStrategy | { tunable: string }] {
  const moving = stage.reads.filter((read) => dependsOn(read, it.axis.name));
  const padded = moving.every((read) => packed.some(({ access }) => access === read));
  if (!padded) return [draft, "cut"];
  const name = `${it.loop}.tail`;
  const chosen = tunable(draft, name, tailChoices.keys());
  return [atMost(chosen, name, surplusOf(it), `there is a tail of ${it.axis.name} to mask`), { tunable: name }];
}
