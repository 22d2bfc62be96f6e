// Rule `thread-tiles`: sums of several axes, such as products, convolutions and pools. A group of threads computes a box of the result,
// each thread a tile of sums in registers; a map that finishes the sums is computed on their way to memory.
//
//   for b, i.0, j.0 fused: blockIdx.x
//     for i.1: threadIdx.y, j.2: threadIdx.x      threads
//       for k.0, k.1
//         for i.2, j.1, lanes of j.3              tile of a thread
//
// Operands are read where they lie, or copied to the memory of the group step by step: two templates.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { type Draft, decide, estimate, fuse, instruct } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { copiedSum } from "./copied-sum.ts";
import { addCopies, type CopiedOperand, copiedOperands } from "./copies.ts";
import { directSum } from "./direct-sum.ts";
import { finishedSum } from "./finished-sum.ts";
import { limitGroups } from "./limits.ts";
import { addSlices, isSliceable, slicedSum, slicesOf } from "./sliced-sum.ts";
import { isInAnyOrder, type TiledSum, tiledSum } from "./sum-axes.ts";
import { sumEstimate } from "./sum-estimate.ts";
import { addSteps, addTiles, addUnroll } from "./tile-choices.ts";

type Context = RuleContext<AcceleratorTarget>;

export const threadTiles: SpaceRule<AcceleratorTarget> = {
  name: "thread-tiles",

  applies: (stage, context) => sumOf(stage, context) !== null,

  apply(draft, stage, context) {
    const tiles = sumOf(stage, context)!;
    const { op, target } = context.task;
    const reader = tiles.stage === stage ? null : stage;
    const shapes = new Map(op.inputs.map(({ name, shape }) => [name, shape as readonly number[]]));
    const operands = copiedOperands(tiles, shapes);
    const site: Site = {
      draft: reader ? fuse(draft, tiles.stage.name) : draft,
      tiles,
      reader,
      title: reader ? `${reader.name} with ${tiles.stage.name}` : tiles.stage.name,
      target,
    };
    return [
      direct(site),
      ...(operands.length > 0 ? [copied(site, operands)] : []),
      ...(isSliceable(tiles) && isInAnyOrder(tiles.stage, context.task) ? [sliced(site)] : []),
    ];
  },
};

interface Site {
  readonly draft: Draft;
  readonly tiles: TiledSum;
  /** The map that finishes the sums; null: none does. */
  readonly reader: SchedulableStage | null;
  /** What is computed, in words. */
  readonly title: string;
  readonly target: AcceleratorTarget;
}

function sumOf(stage: SchedulableStage, context: Context): TiledSum | null {
  const sums = finishedSum(stage, context);
  return tiledSum(sums ?? stage, context.task);
}

function direct({ draft, tiles, reader, title, target }: Site): Draft {
  const tiled = addUnroll(addTiles(decide(draft, `${title} in tiles of threads`), tiles), tiles);
  const limited = limitGroups(tiled, tiles, target, null);
  const timed = estimate(limited, sumEstimate(tiles, reader, [], target));
  return instruct(timed, ...directSum(tiles, reader?.name ?? null));
}

function copied({ draft, tiles, reader, title, target }: Site, operands: readonly CopiedOperand[]): Draft {
  const named = decide(draft, `${title} in tiles of threads, operands in their group`);
  const limited = limitGroups(addSteps(addTiles(named, tiles), tiles), tiles, target, null);
  const kept = addCopies(limited, tiles, operands, target.limits.groupBytes ?? 0);
  const timed = estimate(kept, sumEstimate(tiles, reader, operands, target));
  return instruct(timed, ...copiedSum(tiles, operands, reader?.name ?? null));
}

function sliced({ draft, tiles, reader, title, target }: Site): Draft {
  const named = decide(draft, `${title} in tiles of threads, ${tiles.depth.name} in slices`);
  const tiled = addSlices(addTiles(named, tiles), tiles, target.limits.groupBytes ?? 0);
  const limited = limitGroups(tiled, tiles, target, slicesOf(tiles.depth));
  const timed = estimate(limited, sumEstimate(tiles, reader, [], target));
  return instruct(timed, ...slicedSum(tiles, reader?.name ?? null));
}
