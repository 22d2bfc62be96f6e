// A product of matrices that an intrinsic on tiles computes: register tiles of tiles, in addition to the templates of
// the rules for vectors. Both operands are packed tile by tile and padded with zeros; the reduction is in one piece, as
// sums enter tiles as zeros only, and they leave them through memory, where vectors cut off what is padding. A map that
// reads each sum at its own place takes them from there.
//
//   i → i.0, i.1 of a block, i.2 tiles in registers, i.3 rows      k → k.0 (one), k.1, k.2 unrolled, k.3 groups, k.4 of one
//   j likewise; innermost: i.2 j.2 in registers, and the intrinsic in place of i.3 j.3 k.3 k.4

import type { Instruction, Operand } from "../../../compiler/index.ts";
import type { CpuTask } from "../../data/task.ts";
import { coreOf } from "../../prior/machine-model.ts";
import { type Draft, decide, estimate, instruct, instructWhen } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { finishedSums } from "../fusion/finished-sums.ts";
import { type FinishedSum, joined } from "../fusion/sum-of-a-map.ts";
import { loopsOf, type MatrixProduct, matrixProduct } from "../matrix-tiles/matrix-product.ts";
import { addPlaceChoices, inlined, packing, packOf, padding } from "../matrix-tiles/operands.ts";
import { storeTiles, sumsInTiles } from "../matrix-tiles/sums.ts";
import { tilingEstimate } from "../tiling/estimate.ts";
import { limitCaches, limitRegisters } from "../tiling/limits.ts";
import { addOrderChoice, inEachOrder, type LoopOrder, loopOrders, orderChoice } from "../tiling/order.ts";
import { blockTilesOf, registerOf, stepsOf, type TiledAxis, tileAxis, unrollOf } from "../tiling/tiled-axis.ts";

export const tileRegisters: SpaceRule = {
  name: "tile-registers",
  alongside: true,

  applies: (stage, context) => tiled(stage, context) !== null,

  apply(draft, stage, context) {
    const { product, finished } = tiled(stage, context)!;
    const begun = finished ? joined(draft, finished) : draft;
    return [...context.otherwise(draft, stage.name), onTiles(begun, product, finished && stage, context.task)];
  },
};

interface Tiled {
  readonly product: MatrixProduct;
  /** The sums that the stage finishes; null: the stage itself is the sums. */
  readonly finished: FinishedSum | null;
}

/** Returns the product that a stage is, or that it finishes. */
function tiled(stage: SchedulableStage, context: RuleContext): Tiled | null {
  const own = matrixProduct(stage, context);
  if (own) return { product: own, finished: null };
  const finished = finishedSums(stage, context);
  const product = finished && matrixProduct(finished.sums, context);
  return product && readsNothingElse(stage, finished, context) ? { product, finished } : null;
}

/** Says whether all other operands of the map are inputs, and so are there before the sums. */
function readsNothingElse(stage: SchedulableStage, { sums, between }: FinishedSum, { task }: RuleContext): boolean {
  const known = new Set([sums, ...between, ...task.op.inputs].map(({ name }) => name));
  return [...between, stage].every(({ reads }) => reads.every(({ buffer }) => known.has(buffer)));
}

function onTiles(draft: Draft, product: MatrixProduct, reader: SchedulableStage | null, task: CpuTask): Draft {
  const { stage, axes, intrinsic, left, right } = product;
  const { tileRegisters } = coreOf(task.target);
  const target = { ...task.target, vectorRegisters: tileRegisters };
  const padded: SchedulableStage = { ...stage, reads: [left, right] };
  const whole = axes.flatMap((it) => (it.role === "reduce" ? [it.axis.extent] : []));
  const named = decide(draft, `${reader ? `${reader.name} with ` : ""}${stage.name} on tiles for ${intrinsic.name}`);
  const tiled = axes.reduce((result, it) => tileAxis(result, it, target, whole), named);
  const order = orderChoice(stage, loopOrders(axes));
  const ordered = addOrderChoice(limitRegisters(tiled, padded, axes, target), order);
  const limited = limitCaches(ordered, padded, axes, order, target);
  const packs = [left, right].map((access) => packOf(access, product));
  // Steps are counted row by row, as the prior is fitted to it.
  const byRow = axes.map((it) => (it.role === "spatial" ? { ...it, lanes: 1 } : it));
  const facts = tilingEstimate(padded, byRow, order, packs, target, { masked: "all" });
  const chosen = estimate(addPlaceChoices(limited, packs, product), facts);
  const split = instruct(chosen, ...padding(product), ...axes.flatMap((it) => splitOf(it, product)));
  const placed = inEachOrder(split, order, (result, it, when) =>
    packing(instructWhen(result, when, { kind: "reorder", loops: reordered(it, product) }), packs, product, it, when),
  );
  const inner = instruct(placed, ...inlined(product), ...unrolled(product));
  const summed = inEachOrder(inner, order, (result, { tileLoop }, when) =>
    instructWhen(result, when, { kind: "cache-write", block: stage.name, loop: tileLoop, scope: "register" }),
  );
  const finished = reader ? instruct(summed, { kind: "reverse-inline", block: reader.name }) : summed;
  return storeTiles(instruct(finished, ...sumsInTiles(product)), product, reader);
}

function splitOf(it: TiledAxis, { group, side }: MatrixProduct): readonly Instruction<Operand>[] {
  const tunables = (...names: string[]): Operand[] => names.map((tunable) => ({ tunable }));
  if (it.role === "outer") return [];
  const [factors, tail] =
    it.role === "reduce"
      ? ([[0, ...tunables(stepsOf(it), unrollOf(it)), side, group], "perfect"] as const)
      : ([[0, ...tunables(blockTilesOf(it), registerOf(it)), side], "mask"] as const);
  return [{ kind: "split", loop: it.loop, factors, tail }];
}

function reordered({ loops }: LoopOrder, product: MatrixProduct): readonly string[] {
  const { row, column, reduce } = loopsOf(product);
  const outer = [0, 1].flatMap((level) => [row, column].map((loop) => `${loop}.${level}`));
  const isOuter = (loop: string): boolean =>
    outer.includes(loop) ||
    loop === `${reduce}.0` ||
    product.axes.some((it) => it.role === "outer" && it.loop === loop);
  const registers = [`${reduce}.1`, `${reduce}.2`, `${row}.2`, `${column}.2`];
  return [...loops.filter(isOuter), ...registers, `${row}.3`, `${column}.3`, `${reduce}.3`, `${reduce}.4`];
}

function unrolled(product: MatrixProduct): readonly Instruction<Operand>[] {
  const { row, column, reduce } = loopsOf(product);
  return [`${reduce}.2`, `${row}.2`, `${column}.2`].map((loop) => ({ kind: "unroll", loop }));
}
