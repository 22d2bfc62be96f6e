// A map whose last axis is short, as the channels of a pixel: vectors along the axis before it, one for each element of the short axis, which
// are stored with their lanes in turns.
//
//   out[x, c]     x → x.0, x.1 vectors of a step, x.2 lanes      c unrolled inside of the lanes

import { decide, estimate, instruct, tunable } from "../draft/draft.ts";
import { type Turns, turnsOf } from "../draft/lane-turns.ts";
import { loopOf, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { vectorLanes } from "../draft/vector-lanes.ts";
import { type MapBody, type MapWalk, mapEstimate } from "../estimate/map-estimate.ts";
import { inlinedBody } from "../fusion/inlined-stages.ts";
import { hasPlaced } from "../fusion/row-placement.ts";
import { wholeStage } from "../fusion/whole-stage.ts";

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
    const whole = wholeStage(context.stages, stage, context.task.op, draft.kept);
    const all = inlinedBody(context.stages, stage.name, draft.kept);
    const walk = walkOf(turns(whole, context), { ...found, all, lanes, unroll });
    const named = decide(draft, `${stage.name} in turns of ${short.name}`);
    const chosen = tunable(
      named,
      unroll,
      [1, 2].filter((count) => count === 1 || count <= most),
    );
    return [
      ...context.otherwise(draft, stage.name),
      instruct(
        estimate(chosen, mapEstimate(asOneAxis(whole, found), context.task, walk)),
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

/** Describes the walk. Where operands of inlined stages do not lie along the turns, all are loaded lane by lane. */
function walkOf(
  turns: Turns | null,
  {
    short,
    all,
    lanes,
    unroll,
  }: Pick<Turns, "short"> & Required<Pick<MapWalk, "lanes" | "unroll">> & { readonly all: MapBody },
): MapWalk {
  const body = turns ? { ...all, operations: turns.operations, loads: turns.loads } : all;
  const steps = new Map([...body.loads.keys()].map((buffer) => [buffer, turns ? 1 : lanes]));
  return { lanes, unroll, body, picks: { vectors: short.extent, steps } };
}
