// The contract of a schedule-generation rule: one file each in `space/rule`, in the order of `rule-order.ts`.

import type { CpuTarget, Target } from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import type { Draft } from "./draft.ts";
import type { SchedulableStage } from "./schedulable-stage.ts";

/** Rules are for CPUs, unless their type names another kind of target. */
export interface RuleContext<On extends Target = CpuTarget> {
  readonly task: TuningTask<On>;
  /** All stages of the operator; those that an earlier rule placed, as parts. */
  readonly stages: readonly SchedulableStage[];
  /**
   * Returns the rule that has a stage: the first of all rules that applies to it, those that are `alongside` left out. Null:
   * none applies. Decided once a stage.
   */
  readonly ruleOf: (stage: SchedulableStage) => SpaceRule | null;
  /** Schedules a stage of the draft by the rules after this one. */
  readonly otherwise: (draft: Draft, stage: string) => readonly Draft[];
}

export interface SpaceRule<On extends Target = CpuTarget> {
  readonly name: string;
  /**
   * Whether the rule only adds ways to those of the rule that has the stage, which it asks for by `otherwise`. Default: false,
   * the rule has the stages that it applies to.
   */
  readonly alongside?: boolean;
  /** Whether the rule can schedule the stage. The first rule that can does. */
  applies(stage: SchedulableStage, context: RuleContext<On>): boolean;
  /** Returns the ways in which the stage may be scheduled, each added to the draft. At least one. */
  apply(draft: Draft, stage: SchedulableStage, context: RuleContext<On>): readonly Draft[];
}
