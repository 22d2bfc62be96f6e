// Task → Space: every stage, from the results back to the inputs, is scheduled by the first rule that applies; where a
// rule knows several ways the template forks.

import type { Assignment } from "../../compiler/index.ts";
import { predictNs } from "../cost-model/ranker.ts";
import type { TuningTask } from "../task.ts";
import { type Draft, emptyDraft } from "./draft.ts";
import { defaultRules } from "./rule/index.ts";
import type { RuleContext, SpaceRule } from "./rule/space-rule.ts";
import { type SchedulableStage, schedulableStages } from "./schedulable-stage.ts";
import type { Space, Template } from "./space.ts";

/** A space, and what an analytic model thinks of its points before any is measured. */
export interface GeneratedSpace extends Space {
  /** Expected nanoseconds of a run; `assignment` holds all variables of the template. Good for their order only. */
  readonly prior: (template: Template, assignment: Assignment) => number;
}

/** @example generateSpace({ op, target, numerics: "fast", threads: 1 }).templates.map((template) => template.name) */
export function generateSpace(task: TuningTask, rules: readonly SpaceRule[] = defaultRules): GeneratedSpace {
  const stages = schedulableStages(task.op);
  const context: RuleContext = { task, stages };
  const drafts = stages.toReversed().reduce<readonly Draft[]>(
    (forks, stage) => {
      const rule = rules.find((it) => it.applies(stage, context));
      return rule ? forks.flatMap((draft) => unlessFused(draft, stage, rule, context)) : forks;
    },
    [emptyDraft],
  );
  const estimates = new Map(drafts.map((draft) => [nameOf(draft), draft.estimates]));
  return {
    templates: drafts.map(templateOf),
    prior: (template, assignment) =>
      (estimates.get(template.name) ?? []).reduce((ns, facts) => ns + predictNs(facts(assignment), task.target), 0),
  };
}

const unlessFused = (draft: Draft, stage: SchedulableStage, rule: SpaceRule, context: RuleContext): readonly Draft[] =>
  draft.fused.includes(stage.name) ? [draft] : rule.apply(draft, stage, context);

const nameOf = ({ decisions }: Draft): string => (decisions.length === 0 ? "plain" : decisions.join("; "));

const templateOf = (draft: Draft): Template => ({
  name: nameOf(draft),
  instructions: draft.instructions,
  model: { variables: draft.variables, constraints: draft.constraints },
  structure: draft.structure,
});
