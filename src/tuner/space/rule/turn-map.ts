// A map whose last axis is short, as the channels of a pixel: vectors along the axis before it, one for each element of the short axis, which
// are stored with their lanes in turns.
//
//   out[x, c]     x → x.0, x.1 vectors of a step, x.2 lanes      c unrolled inside of the lanes

import { decide, estimate, instruct, tunable } from "../draft/draft.ts";
import { type Turns, turnsOf } from "../draft/lane-turns.ts";
import { loopOf, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { vectorLanes } from "../draft/vector-lanes.ts";
import { mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody } from "../fusion/inlined-stages.ts";
import { hasPlaced } from "../fusion/row-placement.ts";

export const turnMap: SpaceRule = {
  name: "turn-map",
  alongside: true,

  applies: (stage, context) => turns(stage, context) !== null,

  apply(draft, stage, context) {
    const found = turns(stage, context)!;
    const { along, short } = found;
    const lanes = vectorLanes(stage, context.task.target);
    const [column, channel] = [loopOf(stage, along), loopOf(stage, short)];
    const unroll = `${column}.unroll`;
    const most = Math.ceil(along.extent / lanes);
    const walk = walkOf(found, lanes, unroll, inlinedBody(context.stages, stage.name, draft.kept), stage);
    const named = decide(draft, `${stage.name} in turns of ${short.name}`);
    const chosen = tunable(
      named,
      unroll,
      [1, 2].filter((count) => count === 1 || count <= most),
    );
    return [
      ...context.otherwise(draft, stage.name),
      instruct(
        estimate(chosen, mapEstimate(asOneAxis(stage, found), context.task, walk)),
        { kind: "split", loop: column, factors: [0, { tunable: unroll }, lanes], tail: "cut" },
        { kind: "vectorize", loop: `${column}.2` },
        { kind: "unroll", loop: channel },
        { kind: "unroll", loop: `${column}.1` },
      ),
    ];
  },
};

/** Returns null where loops belong to other stages too, or where vectors are as full without. */
function turns(stage: SchedulableStage, context: RuleContext): Turns | null {
  if (stage.spatial.some(({ isPart }) => isPart) || hasPlaced(stage, context)) return null;
  return turnsOf(stage, context.task.op, vectorLanes(stage, context.task.target));
}

/** The stage as vectors see it: along results that lie side by side. */
const asOneAxis = (stage: SchedulableStage, { along, short }: Turns): SchedulableStage => ({
  ...stage,
  spatial: [...stage.spatial.slice(0, -2), { ...along, extent: along.extent * short.extent }],
});

/** Describes the walk. Operands of inlined stages do not lie along the turns: they are loaded lane by lane. */
function walkOf(
  { short, loads, operations }: Turns,
  lanes: number,
  unroll: string,
  all: ReturnType<typeof inlinedBody>,
  stage: SchedulableStage,
): Parameters<typeof mapEstimate>[2] {
  const counts = new Map([...all.loads].map(([buffer, count]) => [buffer, loads.get(buffer) ?? count]));
  const steps = new Map([...counts.keys()].map((buffer) => [buffer, loads.has(buffer) ? 1 : lanes]));
  const inlined = Math.max(0, all.operations - stage.operations);
  return {
    lanes,
    unroll,
    body: { ...all, operations: operations + inlined, loads: counts },
    picks: { vectors: short.extent, steps },
  };
}
