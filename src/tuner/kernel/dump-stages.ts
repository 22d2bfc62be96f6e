// Dumps everything that happens to one candidate, stage by stage, as numbered texts: for debugging a wrong or slow kernel.

import {
  type ComputeDef,
  codeGeneratorOf,
  fromCompute,
  kernelName,
  lower,
  printComputeDef,
  printFunc,
  printTrace,
  schedule,
} from "../../compiler/index.ts";
import type { Candidate, Space, Template } from "../data/space.ts";
import { encodeTarget } from "../data/target-json.ts";
import type { TuningTask } from "../data/task.ts";
import { candidateTemplate, candidateTrace } from "./candidate-kernel.ts";

export interface DumpedStage {
  /** File name: "06-unroll.txt". */
  readonly name: string;
  readonly text: string;
}

export function dumpStages(task: TuningTask, space: Space, candidate: Candidate): readonly DumpedStage[] {
  const { op, target, numerics } = task;
  const trace = candidateTrace(space, candidate) ?? [];
  const passes: DumpedStage[] = [];
  const definition = candidateTemplate(space, candidate)?.op ?? op;
  const nest = schedule(fromCompute(definition, kernelName(op, target)), trace, target.intrinsics);
  const dump = (name: string, func: typeof nest): void => {
    passes.push({ name: `06-${String(passes.length + 1).padStart(2, "0")}-${name}.txt`, text: printFunc(func) });
  };
  const flat = lower(nest, { target, numerics, dump });
  const generator = codeGeneratorOf(target);
  return [
    { name: "01-expr.txt", text: expressionOf(op, definition) },
    {
      name: "02-task.json",
      text: JSON.stringify({ target: encodeTarget(target), numerics, threads: task.threads }, null, 2),
    },
    { name: "03-space.txt", text: space.templates.map(printTemplate).join("\n\n") },
    { name: "04-sample.json", text: JSON.stringify(candidate, null, 2) },
    { name: "05-trace.txt", text: `${printTrace(trace)}\n\n${printFunc(nest)}` },
    ...passes,
    { name: `07-kernel.${generator.extension}`, text: generator.print(flat, { target, numerics }) },
  ];
}

/** The operator as written and, where it is another, what the candidate computes instead. */
const expressionOf = (op: ComputeDef, definition: ComputeDef): string =>
  [op, ...(definition === op ? [] : [definition])].map(printComputeDef).join("\n");

function printTemplate({ name, model }: Template): string {
  const variables = model.variables.map(({ name: variable, domain, key }) => {
    const values = "from" in domain ? `${domain.from} … ${domain.to}` : domain.join(" ");
    return `  ${key ? "tunable" : "derived"} ${variable}: ${values}`;
  });
  const limits = model.constraints.filter(({ role }) => role === "limit").map(({ why }) => `  limit: ${why}`);
  return [name, ...variables, ...limits].join("\n");
}
