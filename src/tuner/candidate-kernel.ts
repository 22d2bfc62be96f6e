// A candidate of a space → its trace → its target code. What the search, the lock and the twin all build from.

import {
  type CSource,
  type Diagnostic,
  generateKernel,
  instantiateTemplate,
  invariant,
  type Trace,
  type WasmSource,
} from "../compiler/index.ts";
import type { Candidate, Space } from "./space/space.ts";
import type { TuningTask } from "./task.ts";

export type CandidateKernel =
  | { readonly kind: "ok"; readonly source: CSource | WasmSource }
  | { readonly kind: "illegal"; readonly diagnostic: Diagnostic };

/** Null: the space has no such template, or the candidate lacks a tunable of it. */
export function candidateTrace(space: Space, { template: name, assignment }: Candidate): Trace | null {
  const template = space.templates.find((it) => it.name === name);
  const keys = template?.model.variables.filter(({ key }) => key) ?? [];
  if (!template || keys.some((variable) => assignment[variable.name] === undefined)) return null;
  return instantiateTemplate(template.instructions, assignment);
}

export interface CandidateOptions {
  /** Checks the IR after every pass: for winners, not for the search. */
  readonly verify?: boolean;
  /** WASM with fused multiply-adds. */
  readonly relaxed?: boolean;
}

export function candidateKernel(
  { op, target, numerics }: TuningTask,
  space: Space,
  candidate: Candidate,
  { verify = false, relaxed = false }: CandidateOptions = {},
): CandidateKernel {
  const trace = candidateTrace(space, candidate);
  invariant(trace, `the space has no candidate of template ${candidate.template}`);
  return generateKernel(op, trace, target, { numerics, verify, relaxed });
}
