// The parts of a space that a user brings: rules, postprocessors and generators of templates, checked, with names in errors.
// Part of `unplugin-kernel/api`.

import { aBoolean, aFunction, aName, badAnswer, callOwn, optionally, requireFields } from "../compiler/index.ts";
import type { Postprocessor } from "../tuner/data/space.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import type { SpaceRule } from "../tuner/space/draft/space-rule.ts";
import type { SpaceEntry } from "../tuner/space/template/entries.ts";

/**
 * Makes the entries of a space for each task: what to search depends on the operator, its sizes or the target.
 *
 * @example
 * const smallOnes: SpaceGenerator = {
 *   name: "small ones by hand",
 *   generate: ({ op }) => (op.parameters.M === 1 ? [handSchedule("row", trace)] : ["generated"]),
 * };
 */
export interface SpaceGenerator {
  readonly name: string;
  /** Returns templates, schedules by hand, and `"generated"` for those of the rules. The same task gives the same entries. */
  readonly generate: (task: TuningTask) => readonly SpaceEntry[];
}

/** @throws DiagnosticError `extension.malformed`; `extension.threw` and `extension.bad-answer`, of a generator */
export const entriesOf = (
  templates: readonly (SpaceEntry | SpaceGenerator)[],
  task: TuningTask,
): readonly SpaceEntry[] =>
  templates.flatMap((entry, at): readonly SpaceEntry[] => {
    if (typeof entry === "string" || (typeof entry === "object" && entry !== null && "body" in entry)) return [entry];
    requireFields<SpaceGenerator>(`templates[${at}]`, entry, { name: aName, generate: aFunction });
    const what = `generate of "${entry.name}"`;
    const answer: unknown = callOwn(what, () => entry.generate(task));
    if (Array.isArray(answer) && answer.every(isEntry)) return answer;
    throw badAnswer(what, answer, 'a list of templates, schedules and "generated"');
  });

const isEntry = (value: unknown): value is SpaceEntry =>
  value === "generated" || (typeof value === "object" && value !== null && "body" in value && "name" in value);

/** @throws DiagnosticError `extension.malformed`; later, when asked, `extension.threw` and `extension.bad-answer` */
export const checkedRules = (rules: readonly SpaceRule[]): readonly SpaceRule[] =>
  rules.map((rule, at): SpaceRule => {
    requireFields<SpaceRule>(`rules[${at}]`, rule, {
      name: aName,
      alongside: optionally(aBoolean),
      applies: aFunction,
      apply: aFunction,
    });
    const { name, alongside = false } = rule;
    return {
      name,
      alongside,
      applies: (stage, context) => callOwn(`applies of rule "${name}"`, () => rule.applies(stage, context)),
      apply(draft, stage, context) {
        const what = `apply of rule "${name}"`;
        const drafts: unknown = callOwn(what, () => rule.apply(draft, stage, context));
        if (Array.isArray(drafts) && drafts.length > 0) return drafts;
        throw badAnswer(what, drafts, "a list of at least one draft");
      },
    };
  });

/** @throws DiagnosticError `extension.malformed`; later, when judging, `extension.threw` and `extension.bad-answer` */
export const checkedPostprocessors = (postprocessors: readonly Postprocessor[]): readonly Postprocessor[] =>
  postprocessors.map((postprocessor, at): Postprocessor => {
    requireFields<Postprocessor>(`postprocessors[${at}]`, postprocessor, { name: aName, apply: aFunction });
    const { name } = postprocessor;
    return {
      name,
      apply(facts) {
        const what = `apply of postprocessor "${name}"`;
        const verdict: unknown = callOwn(what, () => postprocessor.apply(facts));
        if (isVerdict(verdict)) return verdict;
        throw badAnswer(what, verdict, '{ kind: "ok" } or { kind: "refused", reason }');
      },
    };
  });

const isVerdict = (value: unknown): value is ReturnType<Postprocessor["apply"]> => {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  return value.kind === "ok" || (value.kind === "refused" && "reason" in value && typeof value.reason === "string");
};
