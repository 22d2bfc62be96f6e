// Schedule → source text or bytes, and null where the candidate does not lead to that source (any more). A build that
// finds its kernels in the store needs none of it, and does not load it.

import {
  DiagnosticError,
  generatorOf,
  invariant,
  type KernelSource,
  preparationFacts,
  printTrace,
  sha256,
} from "../../../compiler/index.ts";
import { worstRelativeError } from "../../../tuner/check/error-bound.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import type { Candidate } from "../../../tuner/data/space.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { type CandidateCode, candidateKernel } from "../../../tuner/kernel/candidate-kernel.ts";
import { findPoint, searchSpace } from "../../../tuner/search/point/search-space.ts";
import { direct } from "../../../tuner/space/algorithm/direct.ts";
import { type GeneratedSpace, generateSpace } from "../../../tuner/space/generate.ts";
import type { ScheduleFacts } from "../built-kernel.ts";

interface KnownSpace {
  readonly task: TuningTask;
  readonly space: GeneratedSpace;
}

/** Spaces that were asked for last, of kernels that are compiled side by side. Only a few are kept: a space takes megabytes. */
let recent: readonly KnownSpace[] = [];
const mostRecent = 4;

/** Space of a task, remembered: making it takes up to half a second, and each step from a decision to its bytes asks for it. */
export const spaceOf = (task: TuningTask): GeneratedSpace =>
  remember(recent.find((one) => one.task === task) ?? { task, space: generateSpace(task) });

/** Makes the space of a task small from now on: of the operator as it is written alone, as other algorithms take ten times as long. */
export const smallSpaceOf = (task: TuningTask): GeneratedSpace =>
  remember({ task, space: generateSpace(task, undefined, ["generated"], [direct]) });

function remember(known: KnownSpace): GeneratedSpace {
  recent = [known, ...recent.filter(({ task }) => task !== known.task)].slice(0, mostRecent);
  return known.space;
}

/** Kernel that was generated of a candidate; its source is wanted next. */
const made = new WeakMap<Candidate, { readonly task: TuningTask; readonly kernel: CandidateCode }>();

/** Schedule of a candidate that was just found in the space. Every pass is verified. */
export function scheduleOf(task: TuningTask, space: GeneratedSpace, candidate: Candidate): Decision {
  const kernel = candidateKernel(task, space, candidate, { verify: true });
  // The machine lacks room for the operator in a way that only its code shows: an error of the operator, not of this package.
  if (kernel.kind === "illegal" && kernel.diagnostic.code === "backend.cannot") {
    throw new DiagnosticError({ ...kernel.diagnostic, message: `${task.op.name}: ${kernel.diagnostic.message}` });
  }
  invariant(kernel.kind === "ok", "a candidate of the space is legal");
  made.set(candidate, { task, kernel });
  return { task, candidate, source: digestOfSource(kernel.source) };
}

/** A schedule that an equal task was given, for this one. */
export const rescheduled = (task: TuningTask, candidate: Candidate): Decision =>
  scheduleOf(task, spaceOf(task), candidate);

/**
 * The kernel of a schedule, every pass verified. Null: the space has no such candidate, or another source comes of it; the
 * schedule may be from a file that was edited.
 */
export function generated({ task, candidate, source }: Decision): CandidateCode | null {
  const known = made.get(candidate);
  const kernel = known?.task === task ? known.kernel : generate(task, candidate);
  return kernel && digestOfSource(kernel.source) === source ? kernel : null;
}

function generate(task: TuningTask, candidate: Candidate): CandidateCode | null {
  const space = spaceOf(task);
  if (!findPoint(searchSpace(space), candidate)) return null;
  const kernel = candidateKernel(task, space, candidate, { verify: true });
  return kernel.kind === "ok" ? kernel : null;
}

/** Facts about a schedule that are kept in the store beside its artifacts. */
export const factsOf = ({ task }: Decision, { template, trace, prepare }: CandidateCode): ScheduleFacts => ({
  trace: printTrace(trace),
  errorBound: worstRelativeError(task.op, template.roundings),
  preparation: prepare && preparationFacts(prepare.parameters),
});

const digestOfSource = (source: KernelSource): string => sha256(generatorOf(source).code(source));
