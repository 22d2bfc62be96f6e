// A map that reads another map at several places, as the second pass of a blur does: beside the schedule that computes elements of the first one
// again for each place, one that keeps them. Where windows of rows are read, each row is computed once, just before it is read for the
// first time, and only rows that are read again are kept; other stages are computed as a whole.
//
//   B[y, x] = A[y, x] + A[y, x + 1]               for y
//   C[y, x] = B[y, x] + B[y + 1, x]         →       B[(y + 1) mod 2, …] of this row, the one before is there
//                                                   C[y, …]
//
// After Halide's compute_at, store_at and storage folding.

import { loopName } from "../../../compiler/index.ts";
import {
  type Draft,
  decide,
  type Estimate,
  estimate,
  fuse,
  instruct,
  keep,
  keepNone,
  tunable,
} from "../draft/draft.ts";
import { repeated } from "../draft/placement.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody, inlinedWork } from "../fusion/inlined-stages.ts";
import { keptStages } from "../fusion/kept-stages.ts";
import { hasPlaced } from "../fusion/row-placement.ts";
import { isMapOfRows, type RowWindow, rowWindows } from "../fusion/row-windows.ts";

export const carryRows: SpaceRule = {
  name: "carry-rows",
  alongside: true,

  applies: (stage, context) => planFor(stage, context) !== null,

  apply(draft, stage, context) {
    const plan = planFor(stage, context, draft.kept);
    // A plan of windows alone leaves it open whether earlier stages, which the stored ones are made of, are kept.
    const isOpen = plan !== null && plan.kept.size === 0;
    const inlining = draft.keeps === true ? [] : context.otherwise(isOpen ? draft : keepNone(draft), stage.name);
    return draft.keeps === false ? inlining : [...inlining, ...keeping(draft, stage, plan, context)];
  },
};

function keeping(draft: Draft, stage: SchedulableStage, plan: KeepPlan | null, context: RuleContext): readonly Draft[] {
  if (!plan) return context.otherwise(draft, stage.name);
  const carried = plan.windows.map(({ producer }) => producer.name);
  const stored = [...plan.kept].filter((name) => !carried.includes(name) && !draft.kept.has(name));
  const words = [
    ...(carried.length > 0 ? [`${carried.join(", ")} in rows of ${stage.name}`] : []),
    ...stored.map((name) => `${name} stored`),
  ];
  const kept = keep(words.length > 0 ? decide(draft, words.join(", ")) : draft, plan.kept);
  return carried.length > 0 ? [inRows(kept, stage, plan.windows, context)] : context.otherwise(kept, stage.name);
}

interface KeepPlan {
  /** Stages that are not inlined. */
  readonly kept: ReadonlySet<string>;
  /** Windows of rows along one axis. */
  readonly windows: readonly RowWindow[];
}

/** Plans for a stage of a draft that keeps some stages already. */
function planFor(stage: SchedulableStage, context: RuleContext, already: Iterable<string> = []): KeepPlan | null {
  const { stages, task } = context;
  if (!isMapOfRows(stage) || hasPlaced(stage, context)) return null;
  const kept = new Set([...already, ...keptStages(stage, stages)]);
  // Rows that are kept from one to the next are computed one after the other.
  const found = task.target.threads > 1 ? [] : rowWindows(stage, kept, stages);
  const at = Math.min(...found.map((it) => it.at));
  const windows = found.filter((it) => it.at === at);
  return kept.size > 0 || windows.length > 0 ? { kept, windows } : null;
}

function inRows(draft: Draft, stage: SchedulableStage, windows: readonly RowWindow[], context: RuleContext): Draft {
  const { at } = windows[0]!;
  // Then nothing but the stage reads rows.
  const begun = inlinedInto(stage, draft, context).reduce(
    (result, block) => instruct(fuse(result, block), { kind: "inline", block }),
    draft,
  );
  const loops = stage.spatial.map(({ name }) => loopName(stage.name, name));
  const moved = windows.reduce(
    (result, { producer: { name } }) =>
      instruct(
        fuse(result, name),
        { kind: "compute-at", block: name, loop: loops[at]! },
        { kind: "hoist-storage", buffer: name, loop: loops[at - 1] ?? null, reuse: "fold" },
      ),
    begun,
  );
  const rows = stage.spatial[at]!.extent;
  const carried = windows.reduce((result, { producer, span }) => {
    const blocks = [producer.name, `${producer.name}.first`];
    return rowsInVectors(result, producer, { blocks, at, rows: rows + span }, context);
  }, moved);
  return rowsInVectors(carried, stage, { blocks: [stage.name], at, rows }, context);
}

/** Names of the stages that the stage has inlined, its direct producers first. */
function inlinedInto({ name }: SchedulableStage, { kept, fused }: Draft, { stages }: RuleContext): readonly string[] {
  const { places } = inlinedWork(stages, name, kept);
  const own = stages.filter((it) => it.name !== name && places.has(it) && !fused.includes(it.name));
  return own.toReversed().map((it) => it.name);
}

interface Rows {
  /** Blocks that compute rows of a stage. */
  readonly blocks: readonly string[];
  readonly at: number;
  /** Number of rows that are computed in all. */
  readonly rows: number;
}

/** Vectors along the last axis of a row, several of them a step. */
function rowsInVectors(
  draft: Draft,
  stage: SchedulableStage,
  { blocks, at, rows }: Rows,
  { stages, task }: RuleContext,
): Draft {
  const axis = stage.spatial.at(-1)!;
  const lanes = lanesFor(stage, axis.extent, task.target);
  const unroll = `${loopName(stage.name, axis.name)}.unroll`;
  const steps = Math.ceil(axis.extent / lanes);
  const body = inlinedBody(stages, stage.name, draft.kept);
  const row = { ...stage, spatial: stage.spatial.map((it, dim) => (dim === at ? { ...it, extent: 1 } : it)) };
  const ofRow = mapEstimate(row, task, { lanes, unroll, body });
  const costs: Estimate = (assignment) => ({
    ...repeated(ofRow, rows)(assignment),
    bytesFromMemory: rows * ofRow(assignment).bytesFromMemory,
  });
  const counts = [1, 2, 4].filter((count) => count === 1 || count <= steps);
  return blocks.reduce(
    (result, block) => {
      const loop = loopName(block, axis.name);
      return instruct(
        result,
        { kind: "split", loop, factors: [0, { tunable: unroll }, lanes], tail: "cut" },
        { kind: "vectorize", loop: `${loop}.2` },
        { kind: "unroll", loop: `${loop}.1` },
      );
    },
    tunable(estimate(draft, costs), unroll, counts),
  );
}
