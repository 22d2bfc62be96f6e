// An element-wise stage: its last axis in vectors, several of them a step.

import { decide, estimate, instruct, tunable } from "../draft/draft.ts";
import { type Picks, picksAlong } from "../draft/near-lanes.ts";
import { isMap, loopOf, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { isVectorizable, isVectorizableInside } from "../draft/vector-axis.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody } from "../fusion/inlined-stages.ts";
import { wholeStage } from "../fusion/whole-stage.ts";

/** Most vector operations of a step: more only take a compiler's time. */
const mostOperations = 256;

export const vectorizeMap: SpaceRule = {
  name: "vectorize-map",

  applies: isMap,

  apply(draft, stage, { task, stages }) {
    const axis = stage.spatial.at(-1)!;
    const lanes = lanesFor(stage, axis.extent, task.target);
    const body = inlinedBody(stages, stage.name, draft.kept);
    const whole = wholeStage(stages, stage, task.op, draft.kept);
    const plain = estimate(draft, mapEstimate(whole, task, { lanes: 1, body }));
    const isContiguous = stage.reads.every((read) => isVectorizable(read, axis.name));
    if (lanes === 1 || axis.size) return [plain];
    const near = (it: SchedulableStage): Picks | null | undefined =>
      isVectorInside(it) ? undefined : picksAlong(it, task.op, lanes);
    const [own, picks] = [near(stage), near(whole)];
    const way = own === null ? "of single lanes" : own ? "of picked lanes" : "away from its edges";
    const begun = isContiguous ? draft : decide(draft, `${stage.name} in vectors ${way}`);
    const turn = picks?.vectors ?? 1;
    const walk = { lanes, body, picks: picks ?? undefined };
    const loop = loopOf(stage, axis);
    const unroll = `${loop}.unroll`;
    const most = Math.ceil(axis.extent / (lanes * turn));
    const operations = body.operations * turn;
    return [
      // A draft that keeps stages has many of them, each of which would double the ways.
      ...(isContiguous || draft.keeps === true ? [] : [plain]),
      instruct(
        tunable(
          estimate(begun, mapEstimate(whole, task, { ...walk, unroll })),
          unroll,
          [1, 2, 4, 8].filter((count) => count === 1 || (count <= most && count * operations <= mostOperations)),
        ),
        { kind: "split", loop, factors: [0, { tunable: unroll }, lanes * turn], tail: "cut" },
        { kind: "vectorize", loop: `${loop}.2` },
        { kind: "unroll", loop: `${loop}.1` },
      ),
    ];
  },
};

/** Says whether all operands lie along the last axis, away from its edges. */
const isVectorInside = ({ reads, spatial }: SchedulableStage): boolean =>
  reads.every((read) => isVectorizableInside(read, spatial.at(-1)!.name));
