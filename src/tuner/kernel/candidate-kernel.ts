// A candidate of a space → its trace → its target code. The search, the lock and the program interface build from it.

import {
  type Diagnostic,
  type GeneratedKernel,
  generateKernel,
  instantiateTemplate,
  invariant,
  kernelName,
  type Trace,
} from "../../compiler/index.ts";
import type { Candidate, Space, Template } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";

/** The kernel of a candidate, and what it was made of. */
export interface CandidateCode extends GeneratedKernel {
  readonly template: Template;
  readonly trace: Trace;
}

export type CandidateKernel = CandidateCode | { readonly kind: "illegal"; readonly diagnostic: Diagnostic };

/** Returns the candidate's template, or null if the space has none of that name. */
export const candidateTemplate = ({ templates }: Space, { template }: Candidate): Template | null =>
  templates.find(({ name }) => name === template) ?? null;

/**
 * Returns the instructions for the definition of the candidate's template. Null: the space has no such template, or the
 * candidate lacks a tunable of it.
 */
export function candidateTrace(space: Space, candidate: Candidate): Trace | null {
  const template = candidateTemplate(space, candidate);
  const { assignment } = candidate;
  const keys = template?.model.variables.filter(({ key }) => key) ?? [];
  if (!template || keys.some((variable) => assignment[variable.name] === undefined)) return null;
  return instantiateTemplate(template.instructions, assignment);
}

export interface CandidateOptions {
  /** Checks the IR after every pass: for winners, not for the search. */
  readonly verify?: boolean;
  /** Called after each pass, as in `generateKernel`. */
  readonly onPass?: (() => void) | undefined;
}

export function candidateKernel(
  { op, target, numerics, constants = [] }: TuningTask,
  space: Space,
  candidate: Candidate,
  { verify = false, onPass }: CandidateOptions = {},
): CandidateKernel {
  const template = candidateTemplate(space, candidate);
  const trace = candidateTrace(space, candidate);
  invariant(template && trace, `the space has no candidate of template ${candidate.template}`);
  const name = kernelName(op, target);
  const kernel = generateKernel(template.op, trace, target, { numerics, verify, name, constants, onPass });
  return kernel.kind === "ok" ? { ...kernel, template, trace } : kernel;
}
