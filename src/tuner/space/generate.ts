// Task → Space: for each algorithm that computes the operator, every stage, from the results back to the inputs, is
// scheduled by the first rule that applies; where a rule knows several ways the template forks.

import type { Assignment } from "../../compiler/index.ts";
import { predictNs } from "../cost-model/ranker.ts";
import type { TuningTask } from "../task.ts";
import type { Algorithm } from "./algorithm/algorithm-rule.ts";
import { algorithmsFor } from "./algorithm/index.ts";
import { type Draft, type Estimate, emptyDraft } from "./draft.ts";
import { repeated, shrunk } from "./placement.ts";
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
  const planned = algorithmsFor(task).flatMap((algorithm) => plannedTemplates(algorithm, task, rules));
  const estimates = new Map(planned.map(({ template, estimates }) => [template.name, estimates]));
  return {
    templates: planned.map(({ template }) => template),
    prior: (template, assignment) =>
      (estimates.get(template.name) ?? []).reduce((ns, facts) => ns + predictNs(facts(assignment), task.target), 0),
  };
}

interface PlannedTemplate {
  readonly template: Template;
  readonly estimates: readonly Estimate[];
}

function plannedTemplates(
  algorithm: Algorithm,
  task: TuningTask,
  rules: readonly SpaceRule[],
): readonly PlannedTemplate[] {
  const stages = schedulableStages(algorithm.op);
  const context: RuleContext = { task: { ...task, op: algorithm.op }, stages };
  const drafts = stages.toReversed().reduce<readonly Draft[]>(
    (forks, stage) => {
      const rule = rules.find((it) => it.applies(stage, context));
      return rule ? forks.flatMap((draft) => unlessFused(draft, stage, rule, context)) : forks;
    },
    [emptyDraft],
  );
  return drafts.map((draft) => ({ template: templateOf(draft, algorithm), estimates: draft.estimates }));
}

function unlessFused(draft: Draft, stage: SchedulableStage, rule: SpaceRule, context: RuleContext): readonly Draft[] {
  if (draft.fused.includes(stage.name)) return [draft];
  const placement = draft.placed.find((it) => it.stage === stage.name);
  if (!placement) return rule.apply(draft, stage, context);
  const own = draft.estimates.length;
  return rule.apply(draft, shrunk(stage, placement), context).map((result) => ({
    ...result,
    estimates: result.estimates.map((it, at) => (at < own ? it : repeated(it, placement.times))),
  }));
}

function nameOf({ decisions }: Draft, { name }: Algorithm): string {
  const decided = decisions.length === 0 ? "plain" : decisions.join("; ");
  return name ? `${name}: ${decided}` : decided;
}

const templateOf = (draft: Draft, algorithm: Algorithm): Template => ({
  name: nameOf(draft, algorithm),
  op: algorithm.op,
  roundings: algorithm.roundings,
  instructions: draft.instructions,
  model: { variables: draft.variables, constraints: draft.constraints },
  structure: draft.structure,
});
