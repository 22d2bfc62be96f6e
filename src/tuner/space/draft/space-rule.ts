// The contract of a schedule-generation rule: one file each beside this one, in the order of `index.ts`.

import type { CpuTarget, Target } from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import type { Draft } from "./draft.ts";
import type { SchedulableStage } from "./schedulable-stage.ts";

/** Rules are for CPUs, unless their type names another kind of target. */
export interface RuleContext<On extends Target = CpuTarget> {
  readonly task: TuningTask<On>;
  /** All stages of the operator; those that an earlier rule placed, as parts. */
  readonly stages: readonly SchedulableStage[];
  /** Schedules a stage of the draft by the rules after this one. */
  readonly otherwise: (draft: Draft, stage: string) => readonly Draft[];
}

export interface SpaceRule<On extends Target = CpuTarget> {
  readonly name: string;
  /** Whether the rule can schedule the stage. The first rule that can does. */
  applies(stage: SchedulableStage, context: RuleContext<On>): boolean;
  /** Returns the ways in which the stage may be scheduled, each added to the draft. At least one. */
  apply(draft: Draft, stage: SchedulableStage, context: RuleContext<On>): readonly Draft[];
}
