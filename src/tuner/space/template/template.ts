// A schedule, or a family of schedules, that a user has written: a function over the builder. Task → template of the space.
// Checked where that costs little: names, an empty model, instructions that no drawn candidate can carry out.

import {
  type CpuTarget,
  fromCompute,
  instantiateTemplate,
  isPart,
  replay,
  type SourceLoc,
  type Target,
  type Trace,
} from "../../../compiler/index.ts";
import { compileModel } from "../../constraint/solver/compile.ts";
import { explain } from "../../constraint/solver/explain.ts";
import { sample } from "../../constraint/solver/sample.ts";
import type { Template } from "../../data/space.ts";
import type { TuningTask } from "../../data/task.ts";
import { createRng } from "../../support/rng.ts";
import type { Algorithm, AlgorithmRule } from "../algorithm/algorithm-rule.ts";
import { algorithmsFor } from "../algorithm/index.ts";
import type { Estimate } from "../draft/draft.ts";
import { authorLine, mistakeAt } from "./author-mistake.ts";
import { type Authored, author, type TemplateBuilder } from "./builder.ts";
import { requireTemplateName } from "./names.ts";
import { tunablesIn, withoutUnused } from "./unused-decisions.ts";

export interface AuthoredTemplate {
  readonly name: string;
  /** Body that makes the template; called once for each task. */
  body(t: TemplateBuilder<Target>): void;
  /** Place in the user's source where it was written. */
  readonly loc: SourceLoc | null;
  /** Algorithm that it schedules, which a rule for algorithms made of the operator; null: the operator as it is written. */
  readonly algorithm: string | null;
  /** Whether its instructions come from data, and have no lines of their own. */
  readonly isData: boolean;
}

export interface TemplateOptions {
  /** Name of the algorithm that it schedules, such as "winograd F(2,3)"; default: null, the operator as it is written. */
  readonly algorithm?: string | null;
}

/**
 * Makes a user's own template: decisions, constraints and instructions in one function. Without decisions it is a single
 * hand-written schedule.
 *
 * @example
 * const rows = template("rows in registers", (t) => {
 *   const [, i1] = t.samplePerfectTile("C.i", { parts: 2, maxInnermost: 8 });
 *   t.split("C.i", [0, i1]);
 *   t.unroll("C.i.1");
 * });
 */
export function template<On extends Target = CpuTarget>(
  name: string,
  body: (t: TemplateBuilder<On>) => void,
  { algorithm = null }: TemplateOptions = {},
): AuthoredTemplate {
  requireTemplateName(name);
  return { name, body, loc: authorLine(), algorithm, isData: false };
}

/**
 * Makes a hand-written schedule from a list of instructions: a space of one candidate.
 *
 * @example handSchedule("as it was", saved.trace, saved)
 */
export const handSchedule = (name: string, trace: Trace, options: TemplateOptions = {}): AuthoredTemplate => ({
  ...template(name, (t) => t.instruct(...trace), options),
  isData: true,
});

export interface PlannedTemplate {
  readonly template: Template;
  readonly estimates: readonly Estimate[];
}

/**
 * Runs an author's template for a task and checks it.
 *
 * @throws DiagnosticError at the author's line: `template.*` for mistakes of the body, `space.empty` where no values satisfy
 * the constraints, the diagnostic of an instruction that is illegal in all of the candidates that were drawn
 */
export function planTemplate(
  authored: AuthoredTemplate,
  task: TuningTask,
  algorithms: readonly AlgorithmRule[],
): PlannedTemplate {
  const { name: _, ...computation } = requireAlgorithm(authored, task, algorithms);
  const sketch = author({ ...task, op: computation.op }, authored.body);
  const written = authored.isData ? { ...sketch, lines: sketch.lines.map(() => authored.loc) } : sketch;
  requireDecisions(written);
  const made: Authored = { ...written, draft: withoutUnused(written.draft) };
  const { instructions, structure, estimates, variables, constraints } = made.draft;
  const planned: Template = {
    ...computation,
    name: authored.name,
    algorithm: authored.algorithm,
    instructions,
    structure,
    labels: made.labels,
    model: { variables, constraints },
  };
  requireLegal(planned, made, authored, task.target);
  return { template: planned, estimates };
}

function requireAlgorithm(
  { algorithm, loc }: AuthoredTemplate,
  task: TuningTask,
  algorithms: readonly AlgorithmRule[],
): Algorithm {
  const known = algorithmsFor(task, algorithms);
  const found = known.find(({ name }) => name === algorithm);
  if (found) return found;
  const names = known.flatMap(({ name }) => (name === null ? [] : [name])).join(", ");
  const message = `${task.op.name} is not computed by ${algorithm}`;
  const hint = names === "" ? "leave the algorithm out: there is one" : `there are ${names}`;
  throw mistakeAt(loc, { code: "template.no-such-algorithm", message, hint, detail: null });
}

/** Checks that instructions use decisions of this template only. */
function requireDecisions({ draft, lines }: Authored): void {
  const known = new Set(draft.variables.filter(({ key }) => key).map(({ name }) => name));
  for (const [at, { instruction, when }] of draft.instructions.entries()) {
    const used = [...when.map(({ tunable }) => tunable), ...tunablesIn(instruction)];
    const unknown = used.find((name) => !known.has(name));
    if (unknown === undefined) continue;
    const message = `${instruction.kind} takes the decision ${unknown}, which this template does not have`;
    throw mistakeAt(lines[at]!, { code: "template.no-such-decision", message, hint: null, detail: null });
  }
}

/** Number of candidates that are drawn before a template is believed to have no legal one. */
const drawn = 4;

function requireLegal(
  planned: Template,
  { lines }: Authored,
  { name, loc }: AuthoredTemplate,
  { intrinsics }: Target,
): void {
  const compiled = compileModel(planned.model);
  const rng = createRng(1);
  const samples = Array.from({ length: drawn }, () => sample(compiled, rng));
  if (samples[0]!.kind === "infeasible") {
    const detail = explain(planned.model)?.text ?? null;
    throw mistakeAt(loc, {
      code: "space.empty",
      message: `no schedule of "${name}" satisfies all limits`,
      hint: null,
      detail,
    });
  }
  const replays = samples.flatMap((one) =>
    one.kind === "found" ? [replayOf(planned, one.assignment, intrinsics)] : [],
  );
  const [first] = replays;
  if (!first || replays.some(({ result }) => result.kind === "ok") || first.result.kind === "ok") return;
  throw mistakeAt(lines[first.parts[first.result.at]!]!, first.result.diagnostic);
}

function replayOf(
  { op, instructions }: Template,
  assignment: Readonly<Record<string, number>>,
  intrinsics: Target["intrinsics"],
) {
  const parts = instructions.flatMap((one, at) => (isPart(one, assignment) ? [at] : []));
  return { parts, result: replay(fromCompute(op), instantiateTemplate(instructions, assignment), intrinsics) };
}
