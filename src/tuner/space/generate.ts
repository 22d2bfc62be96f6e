// Generates a space, Task → Space. For each algorithm that computes the operator, every stage, from the results back to the inputs, is
// scheduled by the first rule that applies; where a rule knows several ways the template forks. Templates that a user
// wrote stand beside those, or in their place.

import { type Assignment, remembered, type Target, type TemplateInstruction } from "../../compiler/index.ts";
import type { Prior, Space, Template } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { descendsFor, predictTotalNs, type RankingFacts } from "../prior/ranker.ts";
import { knownNs, soundFacts } from "../prior/sound-facts.ts";
import type { Algorithm, AlgorithmRule } from "./algorithm/algorithm-rule.ts";
import { algorithmsFor } from "./algorithm/index.ts";
import { type Draft, type Estimate, emptyDraft, instruct, type Placement } from "./draft/draft.ts";
import { inAllParts, stagesIn } from "./draft/placement.ts";
import { type SchedulableStage, schedulableStages } from "./draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "./draft/space-rule.ts";
import { spaceRulesOf } from "./space-rules.ts";
import { requireDistinctNames, type SpaceEntry } from "./template/entries.ts";
import { requireSearchable } from "./template/require-searchable.ts";
import { type PlannedTemplate, planTemplate } from "./template/template.ts";

/** A space with an analytic model's predictions for its points. */
export interface GeneratedSpace extends Space {
  /**
   * Returns what each stage does to the machine at a point, as far as rules or the template's author know it. The prior is made of
   * these facts. Null: there is no estimate, or none that can be computed with.
   */
  readonly facts: (template: Template, assignment: Assignment) => readonly RankingFacts[] | null;
  /** Returns the estimates that `facts` evaluates, stage by stage: pure functions of the values that they read. */
  readonly estimates: (template: Template) => readonly Estimate[];
  /** Predicts nanoseconds of a run, good for their order only, or null; `assignment` holds all variables of the template. */
  readonly prior: Prior;
  /** Whether a prediction goes on to better neighbours. */
  readonly descends: boolean;
}

/** @example generateSpace({ op, target, numerics: "fast", threads: 1 }).templates.map((template) => template.name) */
export function generateSpace(
  task: TuningTask,
  rules: readonly SpaceRule<Target>[] = spaceRulesOf(task.target).rules,
  entries: readonly SpaceEntry[] = ["generated"],
  algorithms: readonly AlgorithmRule[] = spaceRulesOf(task.target).algorithms,
): GeneratedSpace {
  requireDistinctNames(entries);
  const generated = (): readonly PlannedTemplate[] =>
    algorithmsFor(task, algorithms).flatMap((algorithm) => plannedTemplates(algorithm, task, rules));
  const planned = entries.flatMap((entry) =>
    entry === "generated" ? generated() : [planTemplate(entry, task, algorithms)],
  );
  requireSearchable(planned);
  return spaceOfTemplates(planned, task.target);
}

/** Makes the space that a search sees of templates with their estimates. */
export function spaceOfTemplates(planned: readonly PlannedTemplate[], target: Target): GeneratedSpace {
  const factsByTemplate = new Map(
    planned.map(({ template, estimates }) => [
      template.name,
      remembered((assignment: Assignment) => {
        const stages = estimates.map((estimate) => estimate(assignment));
        return { sound: soundFacts(stages, target) };
      }),
    ]),
  );
  const estimatesByTemplate = new Map(planned.map(({ template, estimates }) => [template.name, estimates]));
  const facts: GeneratedSpace["facts"] = ({ name }, assignment) =>
    factsByTemplate.get(name)?.(assignment).sound ?? null;
  return {
    templates: planned.map(({ template }) => template),
    facts,
    estimates: ({ name }) => estimatesByTemplate.get(name) ?? [],
    descends: descendsFor(target),
    prior(template, assignment) {
      const stages = facts(template, assignment);
      return stages && knownNs(predictTotalNs(stages, target));
    },
  };
}

function plannedTemplates(
  algorithm: Algorithm,
  task: TuningTask,
  rules: readonly SpaceRule<Target>[],
): readonly PlannedTemplate[] {
  const stages = withConstants(schedulableStages(algorithm.op), task);
  const plan: SpacePlan = { task: { ...task, op: algorithm.op }, stages, rules, decided: remembered(() => new Map()) };
  const drafts = stages
    .toReversed()
    .reduce<readonly Draft[]>(
      (forks, { name }) => forks.flatMap((draft) => scheduleStage(draft, name, plan)),
      [emptyDraft],
    );
  return drafts.map((draft) => {
    const shared = task.target.threads > 1 ? instruct(draft, { kind: "parallel", loop: null }) : draft;
    return { template: templateOf(shared, algorithm), estimates: draft.estimates };
  });
}

/** Marks constant inputs that one stage alone reads: they can be packed once for all calls. */
function withConstants(
  stages: readonly SchedulableStage[],
  { constants = [] }: TuningTask,
): readonly SchedulableStage[] {
  if (constants.length === 0) return stages;
  const reads = ({ reads }: SchedulableStage, name: string): boolean => reads.some(({ buffer }) => buffer === name);
  const own = constants.filter((name) => stages.filter((stage) => reads(stage, name)).length === 1);
  return stages.map((stage) => ({ ...stage, shared: own.filter((name) => reads(stage, name)) }));
}

/** The rules that schedule the stages of an operator, and the choices that they have made so far. */
interface SpacePlan extends Pick<RuleContext<Target>, "task" | "stages"> {
  readonly rules: readonly SpaceRule<Target>[];
  /** Returns the rules that are known to have stages, of the stages as they are placed. */
  readonly decided: (stages: readonly SchedulableStage[]) => Map<SchedulableStage, SpaceRule<Target> | null>;
}

/**
 * Schedules a stage by the first rule that applies; a stage that is scheduled with another is left as it is.
 *
 * @param from position of the first rule that is asked
 * @param outer placement that the caller moves the results to; they are moved here otherwise
 */
function scheduleStage(draft: Draft, name: string, plan: SpacePlan, from = 0, outer?: Placement): readonly Draft[] {
  if (draft.fused.includes(name)) return [draft];
  const stages = stagesIn(draft, plan.stages);
  const stage = stages.find((it) => it.name === name)!;
  const placement = draft.placed.find((it) => it.stage === name);
  const contextAfter = contextsOf({ ...plan, stages }, (at) => (it, other) => {
    return scheduleStage(it, other, plan, at + 1, other === name ? placement : undefined);
  });
  const at = plan.rules.findIndex((rule, position) => position >= from && rule.applies(stage, contextAfter(position)));
  const results = plan.rules[at]?.apply(draft, stage, contextAfter(at)) ?? [draft];
  return placement && placement !== outer ? results.map((it) => inBlock(it, draft, placement)) : results;
}

/** Makes the contexts that the rules see, by position. All of them share the decisions which rule has which stage. */
function contextsOf(
  { task, stages, rules, decided }: SpacePlan,
  otherwiseAfter: (at: number) => RuleContext<Target>["otherwise"],
): (at: number) => RuleContext<Target> {
  const rulesByStage = decided(stages);
  const ruleOf = (stage: SchedulableStage): SpaceRule<Target> | null => {
    const known = rulesByStage.get(stage);
    if (known !== undefined) return known;
    const rule = rules.find((it, at) => it.alongside !== true && it.applies(stage, contextAfter(at))) ?? null;
    rulesByStage.set(stage, rule);
    return rule;
  };
  const contextAfter = (at: number): RuleContext<Target> => ({ task, stages, ruleOf, otherwise: otherwiseAfter(at) });
  return contextAfter;
}

/** Moves what a rule has added to a draft for a placed stage to the place of the stage. */
function inBlock(result: Draft, before: Draft, placement: Placement): Draft {
  const own = before.estimates.length;
  return {
    ...result,
    instructions: [...before.instructions, ...moved(result.instructions.slice(before.instructions.length), placement)],
    estimates: result.estimates.map((it, at) => (at < own ? it : inAllParts(it, placement))),
  };
}

/** Instructions for a stage, after one that brings it to the loop where it belongs, unless they say where. */
function moved(
  instructions: readonly TemplateInstruction[],
  { stage, block }: Placement,
): readonly TemplateInstruction[] {
  const isPlaced = instructions.some(
    ({ instruction: it }) => (it.kind === "compute-at" || it.kind === "inline") && it.block === stage,
  );
  if (!block?.at || isPlaced) return instructions;
  return [{ instruction: { kind: "compute-at", block: stage, loop: block.at }, when: [] }, ...instructions];
}

function nameOf({ decisions }: Draft, { name }: Algorithm): string {
  const decided = decisions.length === 0 ? "plain" : decisions.join("; ");
  return name ? `${name}: ${decided}` : decided;
}

const templateOf = (draft: Draft, algorithm: Algorithm): Template => ({
  name: nameOf(draft, algorithm),
  algorithm: algorithm.name,
  op: algorithm.op,
  roundings: algorithm.roundings,
  instructions: draft.instructions,
  model: { variables: draft.variables, constraints: draft.constraints },
  structure: draft.structure,
});
