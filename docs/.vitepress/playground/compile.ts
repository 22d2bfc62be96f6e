// A program of the playground → everything that the compiler makes of it: the expression, the space of its schedules, the predicted
// schedule, the loops after each pass, WebAssembly as text, and C.

import {
  type ComputeDef,
  DiagnosticError,
  instantiate,
  printComputeDef,
  printTrace,
  simplifyTrace,
  targets,
} from "../../../src/compiler/index.ts";
import type { Candidate, Space, Template } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateTemplate, candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { dumpStages } from "../../../src/tuner/kernel/dump-stages.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { explainSpace } from "../../../src/tuner/space/explain-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { type AddressOf, loadOperator } from "./load-operator.ts";
import type { Problem, Program, Stage } from "./protocol.ts";

/** An operator with the schedule that is predicted for it. */
export interface Scheduled {
  readonly task: TuningTask;
  readonly space: Space;
  readonly candidate: Candidate;
}

export async function readProgram({ source }: Program, addressOf: AddressOf): Promise<ComputeDef> {
  const { op } = await loadOperator(source, addressOf);
  return instantiate(op, {}, "operator");
}

/** @throws DiagnosticError `space.empty` */
export function scheduleFor(op: ComputeDef, target: keyof typeof targets, numerics: Program["numerics"]): Scheduled {
  const task: TuningTask = { op, target: targets[target], numerics, threads: 1 };
  const space = generateSpace(task);
  const candidate = predict(space);
  if (candidate) return { task, space, candidate };
  const { message, detail } = explainSpace(space);
  throw new DiagnosticError({ code: "space.empty", message, loc: null, hint: null, detail });
}

export function wasmStages(scheduled: Scheduled): readonly Stage[] {
  const { task, space, candidate } = scheduled;
  const dumped = dumpStages(task, space, candidate);
  const passes = dumped.filter(({ name }) => name.startsWith("06-"));
  return [
    { tab: "Expression", title: "what is computed", text: expressionText(scheduled) },
    { tab: "Space", title: "what may be chosen", text: space.templates.map(templateText).join("\n\n") },
    { tab: "Schedule", title: "what was chosen", text: scheduleText(scheduled) },
    { tab: "Loops", title: "scheduled", text: scheduledNest(dumped.find(({ name }) => name === "05-trace.txt")!.text) },
    ...passes.map(({ name, text }): Stage => ({ tab: "Loops", title: passName(name), text })),
    { tab: "WAT", title: "WebAssembly", text: dumped.at(-1)!.text },
  ];
}

export function nativeStage(scheduled: Scheduled): Stage {
  const { task, space, candidate } = scheduled;
  return { tab: "C", title: task.target.name, text: dumpStages(task, space, candidate).at(-1)!.text };
}

/** "06-07-unroll.txt" → "unroll". */
const passName = (name: string): string => name.replace(/^06-\d+-/, "").replace(/\.txt$/, "");

/** The nest stands below the instructions, after an empty line. */
const scheduledNest = (text: string): string => text.slice(text.indexOf("\n\n") + 2);

function expressionText({ task, space, candidate }: Scheduled): string {
  const inputs = task.op.inputs.map(({ name, dtype, shape }) => `${name}: ${dtype}[${shape.join(", ")}]`);
  const other = candidateTemplate(space, candidate)?.op;
  const algorithm = other && other !== task.op ? `\n\n// computed as\n${printComputeDef(other)}` : "";
  return `${inputs.join("\n")}\n\n${printComputeDef(task.op)}${algorithm}`;
}

function templateText({ name, model }: Template): string {
  const tunables = model.variables.filter(({ key }) => key);
  const sizes = tunables.map(({ domain }) => ("from" in domain ? domain.to - domain.from + 1 : domain.length));
  const points = sizes.reduce((product, size) => product * size, 1);
  const limits = model.constraints.filter(({ role }) => role === "limit");
  return [
    `${name}: ${tunables.length} tunables, ${model.constraints.length} constraints, ${magnitude(points)} points before them`,
    ...tunables.map(({ name: tunable, domain }) => `  ${tunable}: ${domainText(domain)}`),
    ...limits.map(({ why }) => `  limit: ${why}`),
  ].join("\n");
}

type Domain = Template["model"]["variables"][number]["domain"];

const domainText = (domain: Domain): string => ("from" in domain ? `${domain.from} … ${domain.to}` : domain.join(" "));

const magnitude = (count: number): string =>
  count < 100_000 ? count.toLocaleString("en") : count.toExponential(1).replace("e+", "e");

function scheduleText({ space, candidate }: Scheduled): string {
  const decided = Object.entries(candidate.assignment).map(([name, value]) => `${name} = ${value}`);
  const { op } = candidateTemplate(space, candidate)!;
  const trace = simplifyTrace(op, candidateTrace(space, candidate) ?? []);
  return [`// template: ${candidate.template}`, ...decided, "", "// instructions", printTrace(trace)].join("\n");
}

/** Returns the problem that the page shows. An error that is no mistake of the user's is reported as ours. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DiagnosticError) {
    const { code, message, hint, loc, detail } = error.diagnostic;
    return { code, message, hint, line: loc?.line ?? null, column: loc?.column ?? null, detail };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: "playground.failed", message, hint: null, line: null, column: null, detail: null };
}
