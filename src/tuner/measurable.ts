// A candidate of a space → what a workbench takes: its code, and how near its results have to come to the reference's.

import type { HasBounds } from "../native/runner/protocol.ts";
import { type CandidateKernel, candidateKernel, candidateTemplate } from "./candidate-kernel.ts";
import { checkPlan } from "./measure/check-output.ts";
import type { Candidate, Space } from "./space/space.ts";
import type { TuningTask } from "./task.ts";
import type { MeasurableSource, Refusal } from "./workbench.ts";

/** A candidate as a workbench takes it. */
export function measurable(task: TuningTask, space: Space, candidate: Candidate): MeasurableSource | Refusal {
  const kernel = candidateKernel(task, space, candidate);
  if (kernel.kind === "illegal") return refused(kernel);
  const { source, prepare } = kernel;
  return { ...source, prepare, bounds: boundsOf(task, space, candidate) };
}

/** Each algorithm has its own; undefined: those of the operator as it is written. */
export function boundsOf({ op }: TuningTask, space: Space, candidate: Candidate): HasBounds["bounds"] {
  const template = candidateTemplate(space, candidate);
  return template && template.op !== op ? checkPlan(op, [template]).bounds : undefined;
}

const refused = ({ diagnostic }: Extract<CandidateKernel, { kind: "illegal" }>): Refusal => ({
  kind: "build-failed",
  reason: `${diagnostic.code}: ${diagnostic.message}`,
});
