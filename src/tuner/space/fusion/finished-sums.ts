// Finds the tiled reduction that an element-wise stage finishes: it reads each of the sums once, at its own place, itself or through other
// maps, so it can take them where they are made.
//
//   C.sum[i, j] = Σ …      C[i, j] = max(C.sum[i, j] + bias[j], 0)

import { isScheduledBy } from "../draft/rule-order.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { inlinedStages } from "./inlined-stages.ts";
import { type FinishedSum, sumsFinishedBy } from "./sum-of-a-map.ts";

/** Returns the reduction, one that the stage reads itself before one that it reads through other maps. Null: there is none. */
export function finishedSums(stage: SchedulableStage, context: RuleContext): FinishedSum | null {
  const { stages } = context;
  const found = sumsFinishedBy(stage, stages, inlinedStages(stages)).filter(({ sums }) =>
    isScheduledBy(sums, "multi-level-tiling", context),
  );
  return found.find(({ sums }) => sums.readers.includes(stage.name)) ?? found[0] ?? null;
}
