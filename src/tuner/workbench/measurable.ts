// A candidate of a space → what a workbench takes: its code, and how near its results have to come to the reference's.

import { generatorOf, hasRelaxedTwin, type KernelSource, sha256 } from "../../compiler/index.ts";
import type { HasBounds } from "../../native/runner/protocol.ts";
import { checkPlan } from "../check/check-output.ts";
import type { Candidate, Space } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { candidateKernel, candidateTemplate, candidateTrace } from "../kernel/candidate-kernel.ts";
import { kernelFacts, refusalBy } from "../kernel/postprocessor.ts";
import { tooLarge } from "../kernel/source-size.ts";
import type { Observation } from "../search/state/search-state.ts";
import { forever, type LeftMs, noTime, withinTime } from "../support/time-limit.ts";
import type { Buildable, MeasurableSource, Refusal } from "./workbench.ts";

/** Makes a candidate's source for a workbench. */
export function measurable(task: TuningTask, space: Space, candidate: Candidate): MeasurableSource | Refusal;
/** @param leftMs milliseconds that are left: a candidate whose code is not generated in time is refused as `NoTime` */
export function measurable(task: TuningTask, space: Space, candidate: Candidate, leftMs: LeftMs): Buildable;
export function measurable(task: TuningTask, space: Space, candidate: Candidate, leftMs: LeftMs = forever): Buildable {
  const kernel = withinTime(leftMs, (look) => candidateKernel(task, space, candidate, { onPass: look }));
  if (!kernel) return noTime("its code could not be generated in time");
  if (kernel.kind === "illegal") return refused(`${kernel.diagnostic.code}: ${kernel.diagnostic.message}`);
  const { source, prepare } = kernel;
  const refusal = refusalOf(task, space, candidate, source);
  if (refusal !== null) return refused(refusal);
  const excess = tooLarge(generatorOf(source).sizeOf(source).characters);
  if (excess !== null) return refused(excess);
  return { ...source, prepare, bounds: boundsOf(task, space, candidate) };
}

/**
 * Makes a finalist's source. Where most engines run another form of the kernel than the one that a search measures, it comes along: the plain
 * modules that are fastest have as few sums as their additions take cycles, which are fewer than those of a multiply-add.
 */
export function finalist(task: TuningTask, space: Space, candidate: Candidate, leftMs: LeftMs): Buildable {
  const own = measurable(task, space, candidate, leftMs);
  if (!("parameters" in own) || !hasRelaxedTwin(task.target, task.numerics)) return own;
  const kernel = withinTime(leftMs, (look) => candidateKernel(task, space, candidate, { onPass: look }));
  const twin = kernel?.kind === "ok" ? kernel.relaxed() : null;
  return twin && codeOf(twin) !== codeOf(own) ? { ...own, twin } : own;
}

const codeOf = (source: KernelSource): string => sha256(generatorOf(source).code(source));

/**
 * Returns observations of another tuning as this one would have made them: a candidate that a postprocessor of this space
 * refuses counts as refused, however fast it ran without.
 */
export function underPostprocessors<Observed extends Observation>(
  task: TuningTask,
  space: Space,
  observations: readonly Observed[],
): readonly Observation[] {
  if (!hasPostprocessors(space)) return observations;
  return observations.map((observation) => {
    if (observation.measurement.kind !== "ok") return observation;
    const source = measurable(task, space, observation.candidate);
    return source.kind === "build-failed" ? { ...observation, measurement: source } : observation;
  });
}

/** Says whether a space has postprocessors. Their refusals are no property of the task, so no record is made of them. */
export const hasPostprocessors = ({ postprocessors = [] }: Space): boolean => postprocessors.length > 0;

/** Returns a candidate's bounds, which each algorithm has; undefined: those of the operator as it is written. */
export function boundsOf({ op }: TuningTask, space: Space, candidate: Candidate): HasBounds["bounds"] {
  const template = candidateTemplate(space, candidate);
  return template && template.op !== op ? checkPlan(op, [template]).bounds : undefined;
}

/** Returns why one of the space's postprocessors refuses the kernel; null: none does. */
function refusalOf(task: TuningTask, space: Space, candidate: Candidate, source: KernelSource): string | null {
  const { postprocessors = [] } = space;
  if (postprocessors.length === 0) return null;
  const template = candidateTemplate(space, candidate)!;
  const trace = candidateTrace(space, candidate)!;
  return refusalBy(postprocessors, kernelFacts(task, candidate, template, trace, source));
}

const refused = (reason: string): Refusal => ({ kind: "build-failed", reason });
