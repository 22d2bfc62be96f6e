// A map whose operand lies across its result, as in a transpose: tiles of both, so that each line of the cache is used up while it is there.
//
//   out[i, j] = A[j, i]     i → i.0, i.1 in a tile      j → j.0, j.1 vectors of a tile, j.2 lanes
//
// Tiles are walked row by row of the result, which is stored in vectors; their lanes are loaded one by one.

import { type Draft, decide, estimate, instruct, tunable } from "../draft/draft.ts";
import { isMap, loopOf, type SchedulableStage, type SpatialAxis } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { acrossAxis } from "../estimate/across.ts";
import { mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody } from "../fusion/inlined-stages.ts";
import { hasPlaced } from "../fusion/row-placement.ts";

export const tileMap: SpaceRule = {
  name: "tile-map",
  alongside: true,

  applies: (stage, context) => turned(stage, context) !== null,

  apply: (draft, stage, context) => [
    ...context.otherwise(draft, stage.name),
    inTiles(draft, stage, turned(stage, context)!, context),
  ],
};

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
  const across = stage.reads.map((read) => acrossAxis(read, stage)).find((axis) => axis !== null);
  return across && lanes > 1 ? { across, along, lanes } : null;
}

function inTiles(draft: Draft, stage: SchedulableStage, { across, along, lanes }: Turned, context: RuleContext): Draft {
  const [row, column] = [loopOf(stage, across), loopOf(stage, along)];
  const [rows, vectors] = [`${row}.tile`, `${column}.vectors`];
  const upTo = (values: readonly number[], most: number): readonly number[] =>
    values.filter((count) => count === 1 || count <= most);
  const named = decide(draft, `${stage.name} in tiles of ${across.name}`);
  const chosen = tunable(
    tunable(named, rows, upTo([1, 2, 4, 8, 16, 32, 64], across.extent)),
    vectors,
    upTo([1, 2], Math.ceil(along.extent / lanes)),
  );
  const others = stage.spatial.filter((axis) => axis !== across && axis !== along).map((axis) => loopOf(stage, axis));
  const body = inlinedBody(context.stages, stage.name, draft.kept);
  const walk = { lanes, unroll: vectors, body, tile: { axis: across.name, rows } };
  return instruct(
    estimate(chosen, mapEstimate(stage, context.task, walk)),
    { kind: "split", loop: row, factors: [0, { tunable: rows }], tail: "cut" },
    { kind: "split", loop: column, factors: [0, { tunable: vectors }, lanes], tail: "cut" },
    { kind: "reorder", loops: [...others, `${row}.0`, `${column}.0`, `${row}.1`, `${column}.1`, `${column}.2`] },
    { kind: "vectorize", loop: `${column}.2` },
  );
}
