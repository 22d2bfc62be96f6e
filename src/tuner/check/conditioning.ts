// The right answers of an operator that cancels: a task, once more with the answers in f64, and how far from them its own
// rounding may lead. A candidate beyond the bound is held against these before it is called wrong.

import type { ExactValues, RunTask } from "../../native/runner/protocol.ts";
import type { TuningTask } from "../data/task.ts";
import { runningErrors } from "./running-error.ts";

/** Most nodes of expressions to evaluate: half a second. */
const mostSteps = 2e7;

/**
 * Returns the task with f64 answers. Null: no element's bound would change. Under strict numerics candidates have the bits
 * of the reference.
 */
export function conditionedTask({ op, numerics }: TuningTask, run: RunTask): RunTask | null {
  if (numerics === "strict" || run.expected.every(({ bound }) => bound.kind === "exact")) return null;
  const outputs = runningErrors(op, run.inputs, mostSteps);
  if (!outputs) return null;
  const expected = run.expected.map((it, at) =>
    it.bound.kind === "exact" ? it : { ...it, exact: exactValues(outputs[at]!) },
  );
  return { ...run, expected };
}

/** Share of an element's value, or of the usual value of elements other than 0, from which an error hides it. */
const hidingShare = 1 / 8;

function exactValues({ values, errors }: Pick<ExactValues, "values" | "errors">): ExactValues {
  // Half of the results of a rectifier are 0.
  const sizes = values
    .map(Math.abs)
    .filter((size) => size > 0 && Number.isFinite(size))
    .sort();
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const hidden = errors.reduce((sum, error, at) => {
    return sum + (error > hidingShare * Math.max(usual, Math.abs(values[at]!)) ? 1 : 0);
  }, 0);
  return { values, errors, hidden };
}
