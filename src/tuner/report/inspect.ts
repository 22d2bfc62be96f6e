// Shows one candidate from the expression to its code: for people who want to know what a schedule is, and who want to take it
// home, as its trace in TypeScript that makes it again.

import {
  DiagnosticError,
  fromCompute,
  kernelName,
  printComputeDef,
  printFunc,
  printTrace,
  schedule,
  simplifyTrace,
  type Trace,
  traceToTypeScript,
} from "../../compiler/index.ts";
import type { Candidate, Space } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { candidateTemplate } from "../kernel/candidate-kernel.ts";
import { type DumpedStage, dumpStages } from "../kernel/dump-stages.ts";
import type { Decisions } from "../space/template/decisions.ts";
import { type SavedSchedule, savedSchedule } from "../space/template/saved-schedule.ts";

export interface InspectOptions {
  /** Whether the trace leaves out instructions that do nothing. */
  readonly simplify?: boolean;
}

export interface Inspection {
  /** The computation: the operator as it is written, or by another algorithm. */
  readonly expression: string;
  readonly template: string;
  readonly decisions: Decisions;
  readonly trace: Trace;
  /** Module that makes the trace by hand. */
  readonly typescript: string;
  /** Scheduled loop nest. */
  readonly nest: string;
  /** Loop IR after each pass. */
  readonly passes: readonly DumpedStage[];
  /** Code of the kernel: C, or WASM as text. */
  readonly code: string;
  /** All parts but the passes, under titles. */
  readonly text: string;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Returns the sizes of each template: "C tiled: 11 tunables, 30 constraints". */
export const templateSizes = ({ templates }: Space): readonly string[] =>
  templates.map(({ name, model }) => {
    const keys = model.variables.filter(({ key }) => key).length;
    return `${name}: ${counted(keys, "tunable")}, ${counted(model.constraints.length, "constraint")}`;
  });

/** @throws DiagnosticError `schedule.unknown` */
export function inspectCandidate(
  task: TuningTask,
  space: Space,
  candidate: Candidate,
  { simplify = false }: InspectOptions = {},
): Inspection {
  const { decisions, trace: whole } = requireSchedule(space, candidate);
  const { op, name, algorithm = null } = candidateTemplate(space, candidate)!;
  const { intrinsics } = task.target;
  const trace = simplify ? simplifyTrace(op, whole, intrinsics) : whole;
  const stages = dumpStages(task, space, candidate);
  const parts = {
    expression: printComputeDef(op),
    template: name,
    typescript: traceToTypeScript(trace, { name, algorithm }),
    nest: printFunc(schedule(fromCompute(op, kernelName(task.op, task.target)), trace, intrinsics)),
    code: stages.at(-1)!.text,
  };
  const passes = stages.filter(({ name }) => name.startsWith("06-"));
  const inspected = { ...parts, decisions, trace, passes };
  return { ...inspected, text: printed(inspected) };
}

/** @throws DiagnosticError `schedule.unknown` */
export function requireSchedule(space: Space, candidate: Candidate): SavedSchedule {
  const saved = savedSchedule(space, candidate);
  if (saved) return saved;
  const known = space.templates.map(({ name }) => `  ${name}`).join("\n");
  throw new DiagnosticError({
    code: "schedule.unknown",
    message: `the space has no schedule with these decisions of "${candidate.template}"`,
    loc: null,
    hint: "rules and templates have to be those that it was found with",
    detail: `its templates are\n${known}`,
  });
}

function printed({ expression, template, decisions, trace, typescript, nest, code }: Omit<Inspection, "text">): string {
  const decided = Object.entries(decisions).map(([name, value]) => `${name} = ${value}`);
  const sections: readonly (readonly [string, string])[] = [
    ["expression", expression],
    ["template", template],
    ["decisions", decided.join("\n")],
    ["trace", printTrace(trace)],
    ["trace as TypeScript", typescript],
    ["loop nest", nest],
    ["code", code],
  ];
  return sections
    .map(([title, text]) => `── ${title} ${"─".repeat(76 - title.length)}\n${text.trimEnd()}\n`)
    .join("\n");
}
