// A map whose operand lies across its result, as in a transpose: tiles of both, so that each line of the cache is used up while it is there.
//
//   out[i, j] = A[j, i]     i → i.0, i.1 in a tile      j → j.0, j.1 vectors of a tile, j.2 lanes
//
// Tiles are walked row by row of the result, which is stored in vectors; their lanes are loaded one by one. Squares have as many rows as a vector
// has lanes, written out together: the compiler loads the operand's own rows for them, and transposes these in registers.

import { type Draft, decide, estimate, instruct, tunable } from "../draft/draft.ts";
import { type Picks, stepsOfStride } from "../draft/near-lanes.ts";
import { isMap, loopOf, type SchedulableStage, type SpatialAxis } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { acrossAxis } from "../estimate/across.ts";
import { mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody } from "../fusion/inlined-stages.ts";
import { hasPlaced } from "../fusion/row-placement.ts";
import { wholeStage } from "../fusion/whole-stage.ts";

export const tileMap: SpaceRule = {
  name: "tile-map",
  alongside: true,

  applies: (stage, context) => turned(wholeOf(stage, context), context) !== null,

  apply(draft, own, context) {
    const stage = wholeOf(own, context, draft);
    const found = turned(stage, context);
    if (!found) return context.otherwise(draft, stage.name);
    const steps = stage.operations * sideOf(found) <= mostOperations ? stepsOfSquares(stage, found) : null;
    return [
      ...context.otherwise(draft, stage.name),
      inTiles(draft, stage, found, context),
      ...(steps ? [inSquares(draft, stage, found, steps, context)] : []),
    ];
  },
};

const wholeOf = (stage: SchedulableStage, { stages, task }: RuleContext, draft?: Draft): SchedulableStage =>
  wholeStage(stages, stage, task.op, draft?.kept);

interface Turned {
  /** The axis along which an operand lies. */
  readonly across: SpatialAxis;
  /** The last axis of the result, and how many of its elements are a vector. */
  readonly along: SpatialAxis;
  readonly lanes: number;
}

/** Returns the two axes. Null: no operand lies across, or the loops belong to other stages too. */
function turned(stage: SchedulableStage, context: RuleContext): Turned | null {
  const along = stage.spatial.at(-1);
  if (!along || !isMap(stage) || stage.spatial.some(({ isPart }) => isPart) || hasPlaced(stage, context)) return null;
  const lanes = lanesFor(stage, along.extent, context.task.target);
  // Tiles of pixels whose channels lie in the same axis would begin with any of the channels.
  const affine = stage.reads.filter(({ dims }) => !dims.includes(null));
  const across = affine.map((read) => acrossAxis(read, stage)).find((axis) => axis !== null);
  return across && lanes > 1 ? { across, along, lanes } : null;
}

const upTo = (values: readonly number[], most: number): readonly number[] =>
  values.filter((count) => count === 1 || count <= most);

function inTiles(draft: Draft, stage: SchedulableStage, { across, along, lanes }: Turned, context: RuleContext): Draft {
  const [row, column] = [loopOf(stage, across), loopOf(stage, along)];
  const [rows, vectors] = [`${row}.tile`, `${column}.vectors`];
  const named = decide(draft, `${stage.name} in tiles of ${across.name}`);
  const chosen = tunable(
    tunable(named, rows, upTo([1, 2, 4, 8, 16, 32, 64], across.extent)),
    vectors,
    upTo([1, 2], Math.ceil(along.extent / lanes)),
  );
  const body = inlinedBody(context.stages, stage.name, draft.kept);
  const walk = { lanes, unroll: vectors, body, tile: { axis: across.name, rows } };
  return instruct(
    estimate(chosen, mapEstimate(stage, context.task, walk)),
    { kind: "split", loop: row, factors: [0, { tunable: rows }], tail: "cut" },
    { kind: "split", loop: column, factors: [0, { tunable: vectors }, lanes], tail: "cut" },
    {
      kind: "reorder",
      loops: [...around(stage, across, along), `${column}.0`, `${row}.1`, `${column}.1`, `${column}.2`],
    },
    { kind: "vectorize", loop: `${column}.2` },
  );
}

/** Loops around tiles in the order of the result, as most operands lie: a tile's rows go on side by side. */
const around = (stage: SchedulableStage, across: SpatialAxis, along: SpatialAxis): readonly string[] =>
  stage.spatial
    .filter((axis) => axis !== along)
    .map((axis) => (axis === across ? `${loopOf(stage, axis)}.0` : loopOf(stage, axis)));

// ── squares that are transposed in registers ────────────────────────────────────────────────────────────────────────

/** Most and least lanes of the vectors of a square: registers hold it as a whole, and gathering few lanes takes no longer. */
const mostSquare = 16;
const leastSquare = 4;

/** Most vector operations of a square: more only take a compiler's time. */
const mostOperations = 512;

/** Rows and columns of a square. */
const sideOf = ({ lanes }: Turned): number => Math.min(lanes, mostSquare);

/** Counts the loads and shuffles that bring a vector of each operand that lies across, by buffer. Null: squares make none of them cheaper. */
function stepsOfSquares(stage: SchedulableStage, found: Turned): Picks["steps"] | null {
  const [{ across }, lanes] = [found, sideOf(found)];
  if (lanes < leastSquare || across.extent < lanes) return null;
  const reads = stage.reads.filter((read) => acrossAxis(read, stage) === across);
  const steps = reads.map((read) => [read.buffer, stepsOfStride(read, { axis: across, lanes })] as const);
  const turned = steps.filter(([, rows]) => rows < lanes);
  return turned.length === 0 ? null : new Map(turned.map(([buffer, rows]) => [buffer, rows + Math.log2(lanes)]));
}

function inSquares(
  draft: Draft,
  stage: SchedulableStage,
  found: Turned,
  steps: Picks["steps"],
  context: RuleContext,
): Draft {
  const { across, along } = found;
  const lanes = sideOf(found);
  const [row, column] = [loopOf(stage, across), loopOf(stage, along)];
  const [rows, vectors] = [`${row}.squares`, `${column}.vectors`];
  const named = decide(draft, `${stage.name} in squares of ${across.name}`);
  const chosen = tunable(
    tunable(named, rows, upTo([1, 2, 4], Math.ceil(across.extent / lanes))),
    vectors,
    upTo([1, 2, 4], Math.ceil(along.extent / lanes)),
  );
  const body = inlinedBody(context.stages, stage.name, draft.kept);
  const walk = {
    lanes,
    unroll: vectors,
    body,
    picks: { vectors: 1, steps },
    tile: { axis: across.name, rows, rowsEach: lanes },
  };
  return instruct(
    estimate(chosen, mapEstimate(stage, context.task, walk)),
    { kind: "split", loop: row, factors: [0, { tunable: rows }, lanes], tail: "cut" },
    { kind: "split", loop: column, factors: [0, { tunable: vectors }, lanes], tail: "cut" },
    {
      kind: "reorder",
      loops: [
        ...around(stage, across, along),
        ...[`${column}.0`, `${row}.1`, `${column}.1`, `${row}.2`, `${column}.2`],
      ],
    },
    { kind: "unroll", loop: `${row}.2` },
    { kind: "vectorize", loop: `${column}.2` },
  );
}
