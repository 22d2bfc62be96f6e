// The reference outputs of a bench: the right answers of a task, and those in f64 where a result is beyond its bound.

import { type ExpectedOutput, expectOutput, mismatch } from "../../native/runner/compare.ts";
import type { KernelArray, RunTask } from "../../native/runner/protocol.ts";
import type { CompiledKernel } from "../../plugin/kernel/compiled-kernel.ts";
import { checkPlan } from "../../tuner/check/check-output.ts";
import type { TuningTask } from "../../tuner/data/task.ts";
import { algorithmsFor } from "../../tuner/space/algorithm/index.ts";
import { referenceOf } from "../../tuner/workbench/reference.ts";

/** Reference outputs that those of all entrants are compared with. */
export interface Right {
  readonly inputs: RunTask["inputs"];
  readonly outputs: readonly ExpectedOutput[];
  /** Says what is wrong with results; null: they are what the reference computes. */
  problemOf(arrays: readonly KernelArray[]): string | null;
}

/** Reference outputs of a kernel. Bounds are wide enough for every way in which the operator may be computed. */
export function rightOf(task: TuningTask, { tensors }: CompiledKernel): Right {
  const { bounds } = checkPlan(task.op, algorithmsFor(task));
  const parameters = tensors.filter(({ role }) => role === "output");
  const { task: run, conditioned } = referenceOf(task);
  const outputsOf = ({ expected }: RunTask): readonly ExpectedOutput[] =>
    parameters.map((parameter, at) => {
      const { values, exact } = expected[at]!;
      return expectOutput(parameter, values, bounds[at]!, exact);
    });
  const outputs = outputsOf(run);
  let better: readonly ExpectedOutput[] | null = null;
  const held = (): readonly ExpectedOutput[] => {
    better ??= outputsOf(conditioned?.() ?? run);
    return better;
  };
  const firstProblem = (right: readonly ExpectedOutput[], arrays: readonly KernelArray[]): string | null =>
    right.map((expected, at) => mismatch(expected, arrays[at]!)).find((text) => text !== null) ?? null;
  return {
    inputs: run.inputs,
    outputs,
    problemOf: (arrays) => firstProblem(outputs, arrays) && firstProblem(held(), arrays),
  };
}
