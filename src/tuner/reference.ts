// The right answers of an operator: test inputs by what can be checked exactly, outputs by the reference loops in
// JavaScript, which the tests hold equal to the reference interpreter.

import { arrayTypes, compileJs, kernelParameters, referenceLoops, type TypedArray } from "../compiler/index.ts";
import type { RunTask } from "../native/runner/protocol.ts";
import { checkPlan } from "./measure/check-output.ts";
import { testInputs } from "./measure/inputs.ts";
import { createRng } from "./rng.ts";
import { algorithmsFor } from "./space/algorithm/index.ts";
import type { TuningTask } from "./task.ts";

/**
 * Whatever the algorithm of a candidate, the right answers are those of the operator as it is written, on inputs on which
 * all algorithms can be checked. The bounds are those of the operator as it is written; a candidate of another algorithm
 * has its own.
 */
export function referenceTask(task: TuningTask, seed = 1): RunTask {
  const { op } = task;
  const { values } = checkPlan(op, algorithmsFor(task));
  const { bounds } = checkPlan(op);
  const rng = createRng(seed);
  const inputs = testInputs(op.inputs, values, () => rng.unit());
  const parameters = kernelParameters(op);
  const outputs = parameters
    .filter(({ role }) => role === "output")
    .map(({ dtype, length }): TypedArray => new arrayTypes[dtype](length));
  compileJs(referenceLoops(op))(...inputs, ...outputs);
  return { parameters, inputs, expected: outputs.map((array, at) => ({ values: array, bound: bounds[at]! })) };
}
