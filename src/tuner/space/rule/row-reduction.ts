// A reduction whose result has no axis to vectorize: one accumulator in a register, the reduce loop unrolled.

import { loopName } from "../../../compiler/index.ts";
import { estimate, instruct, tunable } from "../draft/draft.ts";
import { loopOf, sizedBy } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { streamFacts } from "../estimate/stream-estimate.ts";
import { placeInRow } from "../fusion/place-in-row.ts";
import { rowPlacementOf } from "../fusion/row-placement.ts";

export const rowReduction: SpaceRule = {
  name: "row-reduction",

  applies: (stage) => stage.reduce.length > 0 && stage.spatial.length > 0,

  apply(draft, stage, context) {
    const axis = stage.reduce.at(-1)!;
    const loop = loopName(stage.name, axis.name);
    const unroll = `${loop}.unroll`;
    const innermost = loopOf(stage, stage.spatial.at(-1)!);
    const placement = rowPlacementOf(stage, context);
    const placed = placement ? placeInRow(draft, stage, placement, context) : draft;
    const tuned = tunable(
      placed,
      unroll,
      [1, 2, 4, 8].filter((count) => count <= axis.extent),
    );
    return [
      instruct(
        estimate(tuned, (assignment) =>
          streamFacts({
            stage: sizedBy(stage, assignment),
            target: context.task.target,
            lanes: 1,
            vectors: assignment[unroll]!,
            sums: 1,
            rows: new Map(),
            isWarm: placement !== null,
            picks: null,
          }),
        ),
        { kind: "split", loop, factors: [0, { tunable: unroll }], tail: "cut" },
        { kind: "unroll", loop: `${loop}.1` },
        { kind: "cache-write", block: stage.name, loop: innermost, scope: "register" },
      ),
    ];
  },
};
