// An element-wise stage that reads a tiled reduction once an element: it takes each register tile as soon as it is summed
// up, so that the sums never leave the registers. Bias and activation of a GEMM, the exp between two of them.
//
//   for tiles of C                              for tiles of C
//     C.sum[…] += A·B, summed over k       →      registers = Σ A·B
//   for C: C[…] = max(C.sum[…] + bias, 0)         C[…] = max(registers + bias, 0)
//
// The reduction is not cut into blocks then: its panels stream from L2 where they are too long for L1.

import { type CpuTarget, type Instruction, loopName, type Operand } from "../../../compiler/index.ts";
import { type Draft, decide, estimate, instruct, instructWhen, splitWithTail } from "../draft/draft.ts";
import { loopOf, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { finishedSums } from "../fusion/finished-sums.ts";
import { joined } from "../fusion/sum-of-a-map.ts";
import { type Masked, tilingEstimate } from "../tiling/estimate.ts";
import { limitCaches, limitConflicts, limitRegisters } from "../tiling/limits.ts";
import { addOrderChoice, finishedTileOrders, inEachOrder, type OrderChoice, orderChoice } from "../tiling/order.ts";
import { addPackChoices, type PackChoice, packChoices, packIn } from "../tiling/packing.ts";
import { sumsForRows } from "../tiling/sums-in-tiles.ts";
import {
  blockTilesOf,
  isInRows,
  registerOf,
  rowsOf,
  type TiledAxis,
  tileAxis,
  tiledAxes,
  unrollOf,
} from "../tiling/tiled-axis.ts";
import { forIntrinsic, type Tiling, type TilingRule } from "./tiling-rule.ts";

export const fuseEpilogue: TilingRule = {
  name: "fuse-epilogue",

  applies: (stage, context) => finishedSums(stage, context) !== null,

  apply(draft, stage, context) {
    const { sums } = finishedSums(stage, context)!;
    const axes = fusedAxes(stage, sums, lanesFor(sums, sums.spatial.at(-1)!.extent, context.task.target), context);
    const tiling: Tiling = { stage: sums, axes, packs: packChoices(sums, axes), intrinsic: null };
    return [...context.otherwise(draft, stage.name), tileTogether(draft, stage, tiling, context)];
  },

  reductionOf: (stage, context) => finishedSums(stage, context)?.sums ?? null,
  axesOf: (stage, sums, lanes, context) => fusedAxes(stage, sums, lanes, context),
  tile: tileTogether,
  laneLoop: ({ stage: sums, axes }) =>
    `${loopName(sums.name, (axes.find(isInRows)?.axis ?? sums.spatial.at(-1)!).name)}.1`,
};

function tileTogether(draft: Draft, stage: SchedulableStage, tiling: Tiling, context: RuleContext): Draft {
  const { stage: sums, axes, packs } = tiling;
  const { target } = context.task;
  const whole = axes.flatMap((it) => (it.role === "reduce" ? [Math.ceil(it.axis.extent / it.lanes) * it.lanes] : []));
  const begun = joined(draft, finishedSums(stage, context)!);
  const tiled = axes.reduce((result, it) => tileAxis(result, it, target, whole), begun);
  const order = orderChoice(sums, finishedTileOrders(axes));
  const ordered = addOrderChoice(limitRegisters(tiled, sums, axes, target), order);
  const limited = limitCaches(ordered, sums, axes, order, target);
  const named = decide(limited, `${stage.name} with ${sums.name} in registers${forIntrinsic(tiling)}`);
  const chosen = limitConflicts(addPackChoices(named, packs), sums, axes, packs, target);
  const estimated = estimate(
    chosen,
    tilingEstimate(sums, axes, order, packs, target, { masked: maskedIn(axes), isFinished: true }),
  );
  return schedule(estimated, { sums, axes, order, packs, target });
}

/**
 * Returns the axes of the sums; their tiles are cut from the loops of the stage that reads them, and no reduce axis is cut.
 */
const fusedAxes = (
  stage: SchedulableStage,
  sums: SchedulableStage,
  lanes: number,
  { task }: RuleContext,
): readonly TiledAxis[] =>
  tiledAxes(sums, lanes, task).flatMap((it): readonly TiledAxis[] => {
    const spatial = stage.spatial[sums.spatial.indexOf(it.axis)];
    if (spatial) return spatial.isOutside ? [] : [{ ...it, loop: loopOf(stage, spatial) }];
    return [it.role === "outer" ? { ...it, role: "whole" } : it];
  });

interface Fusion {
  readonly sums: SchedulableStage;
  readonly axes: readonly TiledAxis[];
  readonly order: OrderChoice;
  readonly packs: readonly PackChoice[];
  readonly target: CpuTarget;
}

function schedule(draft: Draft, { sums, axes, order, packs, target }: Fusion): Draft {
  const vector = axes.find((it) => it.role === "vector")!;
  const rows = axes.filter((it) => it.role === "spatial");
  const placed = inEachOrder(axes.reduce(splitAxis, draft), order, (result, { loops, tileLoop }, when) =>
    instructWhen(result, when, { kind: "reorder", loops }, { kind: "compute-at", block: sums.name, loop: tileLoop }),
  );
  const tile = instruct(
    placed,
    { kind: "vectorize", loop: `${vector.loop}.3` },
    ...[...rows, vector].map((it) => ({ kind: "unroll", loop: `${it.loop}.2` }) as const),
    ...rows.filter(isInRows).map((it) => ({ kind: "unroll", loop: `${it.loop}.3` }) as const),
  );
  const packed = inEachOrder(sumTile(tile, sums, axes), order, (result, it, when) =>
    packIn(result, packs, { order: it, when, lanes: vector.lanes, target }),
  );
  return instruct(packed, { kind: "set-scope", buffer: sums.name, scope: "register" });
}

function splitAxis(draft: Draft, it: TiledAxis): Draft {
  const tunables = (...names: string[]): Operand[] => names.map((name) => ({ tunable: name }));
  switch (it.role) {
    case "vector":
      return splitWithTail(draft, it.loop, [0, ...tunables(blockTilesOf(it), registerOf(it)), it.lanes], "cut");
    case "spatial":
      return splitWithTail(draft, it.loop, [0, ...tunables(blockTilesOf(it), registerOf(it)), ...rowsOf(it)], "cut");
    case "reduce":
    case "whole":
    case "outer":
      return draft;
  }
}

const reduceOf = (axes: readonly TiledAxis[]): TiledAxis => axes.find((it) => it.role === "reduce")!;

/** Axes whose surplus is summed up: an intrinsic computes all of its lanes, the padding of the packs too, which is not stored. */
const maskedIn = (axes: readonly TiledAxis[]): Masked =>
  axes.some(isInRows) ? "all" : reduceOf(axes).lanes > 1 ? "vector" : "none";

/** Moves the sums of one tile into registers: its rows and vectors go inside the reduction. */
function sumTile(draft: Draft, sums: SchedulableStage, axes: readonly TiledAxis[]): Draft {
  const ownLoop = (it: TiledAxis): string => loopName(sums.name, it.axis.name);
  const tiled = axes.filter(isInRows);
  const rows = axes
    .filter((it) => it.role === "spatial")
    .map((it) => (isInRows(it) ? `${ownLoop(it)}.0` : ownLoop(it)));
  const vector = axes.find((it) => it.role === "vector")!;
  const columns = ownLoop(vector);
  const whole = axes.filter((it) => it.role === "whole").map((it) => it.loop);
  const reduce = reduceOf(axes);
  const reduceLoops = [...whole, `${reduce.loop}.0`, `${reduce.loop}.1`];
  const group =
    reduce.lanes > 1 ? { factors: [reduce.lanes], loops: [`${reduce.loop}.2`] } : { factors: [], loops: [] };
  const lanes = [...tiled, vector].map(
    (it): Instruction<Operand> => ({
      kind: "split",
      loop: ownLoop(it),
      factors: [0, it.lanes],
      tail: maskedIn(axes) === "none" ? "perfect" : "mask",
    }),
  );
  const innermost = [...tiled.map((it) => `${ownLoop(it)}.1`), `${columns}.1`];
  return instruct(
    draft,
    ...lanes,
    { kind: "split", loop: reduce.loop, factors: [0, { tunable: unrollOf(reduce) }, ...group.factors], tail: "cut" },
    { kind: "reorder", loops: [...reduceLoops, ...rows, `${columns}.0`, ...innermost, ...group.loops] },
    { kind: "vectorize", loop: `${columns}.1` },
    ...[`${reduce.loop}.1`, ...rows, `${columns}.0`].map((loop) => ({ kind: "unroll", loop }) as const),
    { kind: "decompose-reduction", block: sums.name, loop: reduceLoops[0]! },
    ...tiled.map((it) => ({ kind: "unroll", loop: `${ownLoop(it)}.1.init` }) as const),
    ...sumsForRows(sums, sums.name, axes),
  );
}
