// Finds the tiled reduction that an element-wise stage finishes: it reads each of the sums once, at its own place, so it can
// take them where they are made.
//
//   C.sum[i, j] = Σ …      C[i, j] = max(C.sum[i, j] + bias[j], 0)

import { isScheduledBy } from "../draft/rule-order.ts";
import { type Access, isMap, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { isInPlace } from "./in-place.ts";

/** Returns the reduction whose results the stage reads, each once and at its own place. Null: there is none. */
export function finishedSums(stage: SchedulableStage, context: RuleContext): SchedulableStage | null {
  if (!isMap(stage)) return null;
  const candidates = context.stages.filter(
    (it) => it.readers.length === 1 && it.readers[0] === stage.name && !it.isOutput && it.spatial.length > 0,
  );
  const reads = (it: SchedulableStage): readonly Access[] => stage.reads.filter(({ buffer }) => buffer === it.name);
  const isFinished = (it: SchedulableStage): boolean =>
    isScheduledBy(it, "multi-level-tiling", context) && reads(it).every((read) => isInPlace(read, stage, it));
  return candidates.find(isFinished) ?? null;
}
