// A map that reads rows of another map at several places, as the second pass of a blur does: beside the schedule that computes elements of the
// first one again for each place, one that computes each row of it once, just before it is read for the first time, and keeps the
// few rows that are read again.
//
//   B[y, x] = A[y, x] + A[y, x + 1]               for y
//   C[y, x] = B[y, x] + B[y + 1, x]         →       B[(y + 1) mod 2, …] of this row, of the last one it is there
//                                                   C[y, …]
//
// After Halide's compute_at, store_at and storage folding.

import { gcd, loopName, toAffine, walkExpr } from "../../../compiler/index.ts";
import { type Draft, decide, estimate, fuse, instruct, tunable } from "../draft/draft.ts";
import { repeated } from "../draft/placement.ts";
import { isScheduledBy } from "../draft/rule-order.ts";
import { type Access, isMap, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { isVectorizableInside } from "../draft/vector-axis.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody } from "../fusion/inlined-stages.ts";
import { hasPlaced } from "../fusion/row-placement.ts";

export const carryRows: SpaceRule = {
  name: "carry-rows",
  alongside: true,

  applies: (stage, context) => rowsOf(stage, context) !== null,

  apply: (draft, stage, context) => [
    ...context.otherwise(draft, stage.name),
    inRows(draft, stage, rowsOf(stage, context)!, context),
  ],
};

interface CarriedRows {
  /** Maps whose rows are kept, each of which the stage alone reads. */
  readonly producers: readonly SchedulableStage[];
  /** Position of the rows among the axes of all of them. */
  readonly at: number;
}

function rowsOf(stage: SchedulableStage, context: RuleContext): CarriedRows | null {
  const { stages, task } = context;
  // Rows are computed one after the other.
  if (task.target.threads > 1 || !isPlainMap(stage) || hasPlaced(stage, context)) return null;
  if (isScheduledBy(stage, "inline-stage", context)) return null;
  const found = stages.flatMap((producer) => {
    const at = rowAxisOf(stage, producer);
    return at === null ? [] : [{ producer, at }];
  });
  const at = Math.min(...found.map((it) => it.at));
  const producers = found.filter((it) => it.at === at).map(({ producer }) => producer);
  return producers.length > 0 ? { producers, at } : null;
}

/** Says whether the stage is a map whose vectors lie along its last axis. */
const isPlainMap = (stage: SchedulableStage): boolean =>
  isMap(stage) &&
  stage.spatial.length > 1 &&
  !stage.spatial.some(({ isPart, size }) => isPart || size) &&
  stage.reads.every((read) => isVectorizableInside(read, stage.spatial.at(-1)!.name));

/** Position of the first axis along which the stage reads several elements of the producer. Null: there is none, or they are no window. */
function rowAxisOf(stage: SchedulableStage, producer: SchedulableStage): number | null {
  const isOwn = producer.readers.length === 1 && producer.readers[0] === stage.name && !producer.isOutput;
  const [read, another] = stage.reads.filter(({ buffer }) => buffer === producer.name);
  if (!isOwn || !read || another || !isPlainMap(producer) || !isWindow(read, stage)) return null;
  const at = read.spans.findIndex((span) => span > 0);
  if (at < 0 || at === stage.spatial.length - 1 || read.spans[at]! >= stage.spatial[at]!.extent) return null;
  const isWhole = producer.spatial.every(
    ({ extent }, dim) => dim === at || extent === stage.spatial[dim]!.extent + read.spans[dim]!,
  );
  return isWhole && rowStep(stage, producer.name, at) === 1 ? at : null;
}

/** Says whether each dimension of the operand is walked by the axis of the same position, element by element. */
const isWindow = ({ dims, guarded }: Access, { spatial }: SchedulableStage): boolean =>
  !guarded &&
  dims.length === spatial.length &&
  dims.every((dim, at) => dim?.size === 1 && dim.get(spatial[at]!.name) === 1);

/** Greatest common divisor of the distances between the rows that are read: every second row alone is no window that moves row by row. */
function rowStep({ block }: SchedulableStage, buffer: string, at: number): number {
  const rows: number[] = [];
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer === buffer) rows.push(toAffine(node.indices[at]!).constant);
  });
  return rows.map((row) => Math.abs(row - rows[0]!)).reduce(gcd, 0);
}

function inRows(draft: Draft, stage: SchedulableStage, { producers, at }: CarriedRows, context: RuleContext): Draft {
  const loops = stage.spatial.map(({ name }) => loopName(stage.name, name));
  const names = producers.map(({ name }) => name);
  const named = decide(draft, `${names.join(", ")} in rows of ${stage.name}`);
  const moved = producers.reduce(
    (result, producer) =>
      instruct(
        fuse(result, producer.name),
        { kind: "compute-at", block: producer.name, loop: loops[at]! },
        { kind: "hoist-storage", buffer: producer.name, loop: loops[at - 1] ?? null, reuse: "fold" },
      ),
    named,
  );
  const rows = stage.spatial[at]!.extent;
  return [...producers, stage].reduce((result, it) => {
    const read = stage.reads.find(({ buffer }) => buffer === it.name);
    const blocks = read ? [it.name, `${it.name}.first`] : [it.name];
    return inVectors(result, it, { blocks, at, rows: rows + (read?.spans[at] ?? 0), apart: new Set(names) }, context);
  }, moved);
}

interface RowsOfStage {
  /** Blocks that compute rows of the stage. */
  readonly blocks: readonly string[];
  readonly at: number;
  /** Number of rows that are computed in all. */
  readonly rows: number;
  /** Stages that are not inlined. */
  readonly apart: ReadonlySet<string>;
}

/** Vectors along the last axis of a row, several of them a step. */
function inVectors(
  draft: Draft,
  stage: SchedulableStage,
  { blocks, at, rows, apart }: RowsOfStage,
  context: RuleContext,
): Draft {
  const axis = stage.spatial.at(-1)!;
  const lanes = lanesFor(stage, axis.extent, context.task.target);
  const unroll = `${loopName(stage.name, axis.name)}.unroll`;
  const steps = Math.ceil(axis.extent / lanes);
  const row = stage.spatial.map((it, dim) => (dim === at ? { ...it, extent: 1 } : it));
  const body = { results: 1, multiplyAdds: 0, ...inlinedBody(context.stages, stage.name, apart) };
  const costs = mapEstimate({ ...stage, spatial: row }, context.task, { lanes, unroll, body });
  const chosen = tunable(
    estimate(draft, repeated(costs, rows)),
    unroll,
    [1, 2, 4].filter((count) => count === 1 || count <= steps),
  );
  return blocks.reduce((result, block) => {
    const loop = loopName(block, axis.name);
    return instruct(
      result,
      { kind: "split", loop, factors: [0, { tunable: unroll }, lanes], tail: "cut" },
      { kind: "vectorize", loop: `${loop}.2` },
      { kind: "unroll", loop: `${loop}.1` },
    );
  }, chosen);
}
