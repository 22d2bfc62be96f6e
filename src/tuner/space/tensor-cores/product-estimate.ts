// Load of a product on tensor cores on the machine: the facts that the model predicts its time from.

import { type AcceleratorTarget, type Assignment, byteSize } from "../../../compiler/index.ts";
import type { RankingFacts } from "../../prior/ranker.ts";
import { busyCycles } from "../../prior/tensor-core-model.ts";
import { gpuRates } from "../../prior/tensor-core-sizes.ts";
import type { Estimate } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { mostParts } from "../parts/parts.ts";
import {
  clusterOf,
  groupsOf,
  groupTilesOf,
  neighboursOf,
  registerOf,
  roundsOf,
  stagesOf,
  stepsOf,
  unrollOf,
  warpsOf,
} from "./group-tiles.ts";
import { groupBytesOf, registersOf, sumsOf, threadsOf } from "./limits.ts";
import { type Copying, isPersistent, type WarpProduct } from "./warp-product.ts";

export const productEstimate =
  (product: WarpProduct, reader: SchedulableStage | null, target: AcceleratorTarget): Estimate =>
  (assignment) => {
    const { rows, columns, depth, batches, stage, parts } = product;
    const value = (name: string): number => assignment[name] ?? 1;
    const step = stepOf(product, value);
    const batch = batches.reduce((count, { extent }) => count * extent, 1);
    const cuts = parts ? value(parts.count) : 1;
    const groups = cuts * batch * value(groupsOf(rows)) * value(groupsOf(columns));
    // Persistent groups are launched once for all of their rounds, and wait for their first operands once.
    const launched = groups / (isPersistent(product) ? value(roundsOf(rows)) : 1);
    const steps = value(stepsOf(depth)) * ((parts ? mostParts(parts) : 1) / cuts);
    const all = (amount: number): number => amount * groups * steps;
    const processors = target.limits.processors ?? 1;
    const results = cuts * batch * rows.extent * columns.extent * byteSize[(reader ?? stage).dtype];
    return {
      flops: all(step.flops),
      waste: ((Math.ceil(launched / processors) * processors) / launched) * untimed[product.copying],
      lanes: product.tile.rows * product.tile.columns,
      multiplyAddShare: 1,
      accumulators: value(sumsOf(product)),
      liveRegisters: value(registersOf(product)),
      loadsPerOperation: 1 / value(registerOf(rows)) + 1 / value(registerOf(columns)),
      bytesFromL2: all(step.bytesFromL2),
      bytesFromL3: all(step.bytesFromL3),
      bytesFromMemory: bytesFromMemory(product, value, groups, processors) + results,
      packedBytes: 0,
      loopIterations: groups * steps,
      parallelTasks: launched,
      bodyInstructions: waitOf(step, product, assignment, target),
      tilesBegun: launched,
    };
  };

const { boxes, specialized, persistent } = gpuRates.untimed;
const untimed: Readonly<Record<Copying, number>> = {
  "by threads": 1,
  "by boxes": boxes,
  "by boxes, warp-specialized": boxes * specialized,
  "by boxes, warp-specialized, persistent": boxes * specialized * persistent,
};

type Value = (name: string) => number;
type Step = Pick<RankingFacts, "flops" | "lanes" | "bytesFromL2" | "bytesFromL3">;

/**
 * Work of a group in one step. `flops` counts operations on operands of two bytes: one on bytes is half of one. Panels are read once for each tile
 * of sums, by its instruction; other operands are read by each warp into registers.
 */
function stepOf(product: WarpProduct, value: Value): Step {
  const { rows, columns, depth, tile } = product;
  const [down, along, deep] = [rows, columns, depth].map((axis, at) => {
    return axis.tile * value(at < 2 ? groupTilesOf(axis) : unrollOf(axis));
  }) as [number, number, number];
  const loaded =
    tile.panel === null
      ? down * value(warpsOf(columns)) + along * value(warpsOf(rows))
      : down * (along / columns.tile) + along * (down / rows.tile);
  return {
    flops: 2 * down * along * deep * (tile.bytes / gpuRates.tensorOperandBytes),
    lanes: tile.rows * tile.columns,
    bytesFromL2: loaded * deep * tile.bytes,
    // Groups of a cluster bring the columns from L2 once.
    bytesFromL3: (down + along / (isPersistent(product) ? value(clusterOf(product)) : 1)) * deep * tile.bytes,
  };
}

/**
 * Cycles of a step in which nothing of its processor works: copies come too late, and no other group has work. Latencies vary, so more
 * steps ahead always hide more of them, and never all. A copy that is turned goes through registers, so its thread waits for it.
 */
function waitOf(step: Step, product: WarpProduct, assignment: Assignment, target: AcceleratorTarget): number {
  const ahead = product.turned.length > 0 ? 0 : (assignment[stagesOf(product)] ?? 1) - 1;
  const others = groupsAtATime(product, assignment, target);
  const hidden = ahead * busyCycles(step) * others;
  return gpuRates.memoryLatency ** 2 / (gpuRates.memoryLatency + hidden) / others;
}

/** Groups that a processor has at a time. */
function groupsAtATime(product: WarpProduct, assignment: Assignment, { limits }: AcceleratorTarget): number {
  const value = (name: string): number => assignment[name] ?? 1;
  const threads = value(threadsOf(product));
  const bytes = value(groupBytesOf(product)) + gpuRates.bytesBesideGroup;
  const most = [
    gpuRates.threadsPerProcessor / threads,
    (limits.registersPerProcessor ?? 0) / (threads * value(registersOf(product))),
    ((limits.groupBytes ?? 0) + gpuRates.bytesBesideGroup) / bytes,
  ];
  return Math.max(1, Math.floor(Math.min(...most)));
}

/** Operands that the groups of a round bring from memory: those side by side share rows, or columns. */
function bytesFromMemory(
  { rows, columns, depth, tile, parts }: WarpProduct,
  value: Value,
  groups: number,
  processors: number,
): number {
  const running = Math.min(groups, processors);
  const down = Math.min(value(neighboursOf(rows)), running);
  const along = Math.min(value(groupsOf(columns)), Math.ceil(running / down));
  const below = Math.ceil(running / (down * along)) * down;
  const lines = below * rows.tile * value(groupTilesOf(rows)) + along * columns.tile * value(groupTilesOf(columns));
  const deep = depth.extent * ((parts ? mostParts(parts) : 1) / (parts ? value(parts.count) : 1));
  return (groups / running) * lines * deep * tile.bytes;
}
