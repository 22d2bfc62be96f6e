// The contract of an algorithm rule: another way to compute the same operator, one file each beside this one.

import type { ComputeDef } from "../../../compiler/index.ts";
import type { Computation } from "../../data/computation.ts";
import type { TuningTask } from "../../data/task.ts";

/** A way to compute an operator: a definition with its inputs, outputs and name, and stages of its own. */
export interface Algorithm extends Computation {
  /** "winograd F(2,3)"; null: the operator as it is written. */
  readonly name: string | null;
}

export interface AlgorithmRule {
  readonly name: string | null;
  /** Whether the task allows it and the operator has something to rewrite. */
  applies(task: TuningTask): boolean;
  /** The other definition, and how it rounds. Up to rounding its outputs are those of `op`. */
  rewrite(op: ComputeDef): Computation;
}
