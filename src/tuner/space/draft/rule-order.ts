// The order of the rules, as a table of names: the first that applies schedules a stage. Nothing else says which rule comes
// before which; a rule that wants to know who schedules a stage asks `isScheduledBy`.

import type { SchedulableStage } from "./schedulable-stage.ts";
import type { RuleContext } from "./space-rule.ts";

export const ruleOrder = [
  "merge-consumer",
  "unroll-choices",
  "inline-stage",
  "tile-registers",
  "tensorize",
  "fuse-epilogue",
  "multi-level-tiling",
  "split-reduction",
  "row-reduction",
  "carry-rows",
  "tile-map",
  "turn-map",
  "vectorize-map",
] as const;

export type RuleName = (typeof ruleOrder)[number];

/** Says whether the rule of this name has the stage. */
export const isScheduledBy = (stage: SchedulableStage, name: RuleName, { ruleOf }: RuleContext): boolean =>
  ruleOf(stage)?.name === name;
