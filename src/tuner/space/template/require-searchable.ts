// Checks the templates that rules make like those that authors write: a search tells templates and decisions apart by
// their names, and records keep names and values. Templates → the same templates, or the mistake of a rule.

import { mistake } from "./author-mistake.ts";
import { requireName, requireTemplateName } from "./names.ts";
import type { PlannedTemplate } from "./template.ts";
import { tunablesIn } from "./unused-decisions.ts";

/** @throws DiagnosticError `template.twice`, `template.bad-name`, `template.bad-values`, `template.no-such-decision` */
export function requireSearchable(planned: readonly PlannedTemplate[]): void {
  const names = new Set<string>();
  for (const { template } of planned) {
    requireTemplateName(template.name);
    const hint = "a rule says by `decide` what tells its drafts from each other";
    if (names.has(template.name)) throw mistake("template.twice", `there are two templates "${template.name}"`, hint);
    names.add(template.name);
    requireDecisions(template);
  }
}

function requireDecisions({ name, model, instructions }: PlannedTemplate["template"]): void {
  const known = new Set<string>();
  for (const { name: decision, domain, key } of model.variables) {
    if (!key) continue;
    requireName(decision);
    if (known.has(decision)) throw mistake("template.twice", `"${name}" has two decisions ${decision}`);
    known.add(decision);
    const values = domain as readonly number[];
    if (values.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 31)) continue;
    const shown = `[${values.join(", ")}]`;
    throw mistake("template.bad-values", `${decision} has the values ${shown}, integers from 0 on are wanted`);
  }
  for (const { instruction, when } of instructions) {
    const used = [...when.map(({ tunable }) => tunable), ...tunablesIn(instruction)];
    const unknown = used.find((one) => !known.has(one));
    if (unknown === undefined) continue;
    const message = `${instruction.kind} takes the decision ${unknown}, which "${name}" does not have`;
    throw mistake("template.no-such-decision", message);
  }
}
