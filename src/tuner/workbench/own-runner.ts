// A runner that a user brings, as a plain object → one that a workbench measures with: its outputs are compared with the right
// answers before its times count.

import {
  aFunction,
  aName,
  awaitOwn,
  badAnswer,
  invariant,
  type KernelParameter,
  optionally,
  requireFields,
  type TypedArray,
} from "../../compiler/index.ts";
import type { CpuArtifact } from "../../native/addon/artifact.ts";
import { isLate, within } from "../../native/machine/clock.ts";
import type { Runner } from "../../native/runner/client.ts";
import { expectOutput, mismatch, tellsNothing } from "../../native/runner/compare.ts";
import type { CacheState, Runnable, RunOutcome, RunTask } from "../../native/runner/protocol.ts";

/** A built kernel to be run and timed. */
export interface RunRequest {
  /** The kernel, as `build` gives it: `load(artifact)` makes a function of it. */
  readonly artifact: CpuArtifact;
  /** Parameters of the operator, in calling order: inputs, then outputs. */
  readonly parameters: readonly KernelParameter[];
  /** Values of the inputs, in their order. They must not be written. */
  readonly inputs: readonly TypedArray[];
  /** Number of times that are wanted. */
  readonly samples: number;
  /** State of the caches when a run begins. */
  readonly cache: CacheState;
}

/** Times of one run in nanoseconds, at least one, and the outputs in their order; or why the candidate did not run. */
export type RunAnswer =
  | { readonly ns: readonly number[]; readonly outputs: readonly TypedArray[] }
  | { readonly failed: string };

/**
 * Runs and times candidates in place of our measuring process: on another machine, in another engine, by another clock.
 *
 * @example
 * const phone: OwnRunner = {
 *   name: "pixel 9",
 *   run: async (request) => (await fetch(phoneUrl, { method: "POST", body: pack(request) })).json(),
 * };
 */
export interface OwnRunner {
  /** Name of what measures: records carry it, and are kept apart from those of other runners. */
  readonly name: string;
  /** Runs a kernel. What it throws ends the tuning; a candidate that does not run is `{ failed: reason }`. */
  readonly run: (request: RunRequest) => Promise<RunAnswer> | RunAnswer;
  /** Called at the end of a tuning; by `tuneAll` at the end of each kernel's. */
  readonly close?: () => Promise<void> | void;
}

/** Longest time for one candidate, in milliseconds: machines elsewhere take their time. */
const deadlineMs = 60_000;

/** Number of samples of a candidate in a search, where no number is asked for. */
const defaultSamples = 5;

/**
 * @param artifactOf artifact behind a runnable
 * @throws DiagnosticError `extension.malformed`; later, when running, `extension.threw` and `extension.bad-answer`
 */
export function ownRunner(own: OwnRunner, artifactOf: (runnable: Runnable) => CpuArtifact): Runner {
  requireFields<OwnRunner>("runner", own, { name: aName, run: aFunction, close: optionally(aFunction) });
  const what = `run of runner "${own.name}"`;
  let task: RunTask | null = null;

  async function run(
    candidate: Runnable,
    samples: number,
    cache: CacheState,
    leftMs: (() => number) | undefined,
  ): Promise<RunOutcome> {
    invariant(task, "a task is set before candidates are run");
    const { parameters, inputs } = task;
    const request: RunRequest = { artifact: artifactOf(candidate), parameters, inputs, samples, cache };
    const limitMs = Math.max(0, Math.min(deadlineMs, leftMs?.() ?? deadlineMs));
    const answer: unknown = await within(
      limitMs,
      awaitOwn(what, () => own.run(request)),
    );
    if (answer === isLate) return { kind: "timed-out", deadlineMs: limitMs };
    return outcomeOf(what, answer, candidate, task);
  }

  return {
    setTask(next) {
      task = next;
    },
    run: ({ candidate, samples = defaultSamples, cache = "hot", leftMs }) => run(candidate, samples, cache, leftMs),
    sample: (candidate, _sampleNs, cache = "hot", leftMs) => run(candidate, 1, cache, leftMs),
    forget: () => undefined,
    close: async () => {
      await awaitOwn(`close of runner "${own.name}"`, () => own.close?.());
    },
  };
}

function outcomeOf(what: string, answer: unknown, { bounds }: Runnable, { parameters, expected }: RunTask): RunOutcome {
  if (typeof answer !== "object" || answer === null) throw badAnswer(what, answer, "{ ns, outputs } or { failed }");
  const { ns, outputs, failed } = answer as Readonly<Record<string, unknown>>;
  if (typeof failed === "string") return { kind: "crashed", reason: failed };
  const isTime = (time: unknown): boolean => typeof time === "number" && Number.isFinite(time) && time > 0;
  if (!Array.isArray(ns) || ns.length === 0 || !ns.every(isTime))
    throw badAnswer(what, ns, "ns, a list of positive times,");
  const results = parameters.filter(({ role }) => role === "output");
  if (!Array.isArray(outputs) || outputs.length !== results.length)
    throw badAnswer(what, outputs, `outputs, a list of ${results.length} arrays,`);
  for (const [at, output] of outputs.entries()) {
    const { values } = expected[at]!;
    if (!isLike(output, values))
      throw badAnswer(what, output, `outputs[${at}], a ${values.constructor.name} of ${values.length},`);
  }
  return verdictOf({ parameters, expected }, bounds, outputs) ?? { kind: "ok", samplesNs: ns };
}

/** Says what is wrong with the outputs of a candidate, each an array like the right one; null: nothing is. */
export function verdictOf(
  { parameters, expected }: Pick<RunTask, "parameters" | "expected">,
  bounds: Runnable["bounds"],
  outputs: readonly TypedArray[],
): RunOutcome | null {
  let hidden: RunOutcome | null = null;
  for (const [at, parameter] of parameters.filter(({ role }) => role === "output").entries()) {
    const { values, bound, exact } = expected[at]!;
    const wanted = expectOutput(parameter, values, bounds?.[at] ?? bound, exact);
    const reason = mismatch(wanted, outputs[at]!);
    if (reason === null) continue;
    if (!tellsNothing(wanted)) return { kind: "wrong-result", reason };
    hidden = { kind: "ill-conditioned", reason };
  }
  return hidden;
}

const isLike = (output: unknown, values: TypedArray): output is TypedArray =>
  ArrayBuffer.isView(output) &&
  output.constructor === values.constructor &&
  "length" in output &&
  output.length === values.length;
