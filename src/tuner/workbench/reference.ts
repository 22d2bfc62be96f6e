// Makes what candidates are checked with: test inputs by what can be checked exactly, and the right answers.

import { kernelParameters } from "../../compiler/index.ts";
import type { RunTask } from "../../native/runner/protocol.ts";
import { checkPlan } from "../check/check-output.ts";
import { conditionedTask } from "../check/conditioning.ts";
import { testInputs } from "../check/inputs.ts";
import type { TuningTask } from "../data/task.ts";
import { algorithmsFor } from "../space/algorithm/index.ts";
import { createRng } from "../support/rng.ts";
import { type LeftMs, type NoTime, tooLong } from "../support/time-limit.ts";
import { leastAnswerMs, rightAnswers } from "./right-answers.ts";
import type { WorkbenchOptions } from "./workbench.ts";

/** Longest time for the right answers of what was just built, in milliseconds: for an operator beyond that there is `verify`. */
export const mostAnswersMs = 5_000;

/**
 * Returns why even the right answers would come too late; null: there may be time. Nothing can end them once they are
 * begun.
 */
export const answersTooLate = ({ op }: TuningTask, leftMs: LeftMs): NoTime | null =>
  tooLong("computing the right answers", leastAnswerMs(op), leftMs);

/** Makes the workbench's options for checking candidates: `createWorkbench({ ...referenceOf(task), … })`. */
export function referenceOf(task: TuningTask): Pick<WorkbenchOptions, "task" | "conditioned"> {
  const run = referenceTask(task);
  return { task: run, conditioned: () => conditionedTask(task, run) };
}

/**
 * Makes inputs, right answers and bounds. For every algorithm of a candidate the right answers are those of the operator as it
 * is written, on inputs on which all algorithms can be checked. The bounds are those of the operator as it is written; a
 * candidate of another algorithm has its own.
 */
export function referenceTask(task: TuningTask, seed = 1): RunTask {
  const { op } = task;
  const { values } = checkPlan(op, algorithmsFor(task));
  const { bounds } = checkPlan(op);
  const rng = createRng(seed);
  const inputs = testInputs(op.inputs, values, () => rng.unit());
  const expected = rightAnswers(op, inputs).map((values, at) => ({ values, bound: bounds[at]! }));
  return { parameters: kernelParameters(op), inputs, expected };
}
