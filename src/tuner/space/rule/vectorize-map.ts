// An element-wise stage: its last axis in vectors, several of them a step.

import { decide, estimate, instruct, tunable } from "../draft/draft.ts";
import { picksAlong } from "../draft/near-lanes.ts";
import { isMap, loopOf } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { isVectorizable, isVectorizableInside } from "../draft/vector-axis.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody } from "../fusion/inlined-stages.ts";

/** Most vector operations of a step: more only take a compiler's time. */
const mostOperations = 256;

export const vectorizeMap: SpaceRule = {
  name: "vectorize-map",

  applies: isMap,

  apply(draft, stage, { task, stages }) {
    const axis = stage.spatial.at(-1)!;
    const lanes = lanesFor(stage, axis.extent, task.target);
    const body = inlinedBody(stages, stage.name, draft.kept);
    const plain = estimate(draft, mapEstimate(stage, task, { lanes: 1, body }));
    const isContiguous = stage.reads.every((read) => isVectorizable(read, axis.name));
    const isInside = stage.reads.every((read) => isVectorizableInside(read, axis.name));
    if (lanes === 1 || axis.size) return [plain];
    const picks = isInside ? undefined : picksAlong(stage, task.op, lanes);
    if (picks === null) return [plain];
    const way = picks ? "of picked lanes" : "away from its edges";
    const begun = isContiguous ? draft : decide(draft, `${stage.name} in vectors ${way}`);
    const loop = loopOf(stage, axis);
    const unroll = `${loop}.unroll`;
    const turn = picks?.vectors ?? 1;
    const steps = Math.ceil(axis.extent / (lanes * turn));
    const operations = body.operations * turn;
    return [
      // A draft that keeps stages has many of them, each of which would double the ways.
      ...(isContiguous || draft.keeps === true ? [] : [plain]),
      instruct(
        tunable(
          estimate(begun, mapEstimate(stage, task, { lanes, unroll, picks, body })),
          unroll,
          [1, 2, 4, 8].filter((count) => count === 1 || (count <= steps && count * operations <= mostOperations)),
        ),
        { kind: "split", loop, factors: [0, { tunable: unroll }, lanes * turn], tail: "cut" },
        { kind: "vectorize", loop: `${loop}.2` },
        { kind: "unroll", loop: `${loop}.1` },
      ),
    ];
  },
};
