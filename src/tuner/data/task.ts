// A task to be tuned: an operator, a target, and the options that change the result. Stage 2.

import type { ComputeDef, CpuTarget, Numerics, Target } from "../../compiler/index.ts";

export interface TuningTask<On extends Target = Target> {
  readonly op: ComputeDef;
  readonly target: On;
  readonly numerics: Numerics;
  readonly threads: number;
  /**
   * Inputs that stay the same from call to call, such as weights. What depends on them alone is computed before, and not
   * timed; they may be laid out as a schedule likes them best.
   */
  readonly constants?: readonly string[];
}

/** A task on a CPU. */
export type CpuTask = TuningTask<CpuTarget>;

export interface Budget {
  /** Wall-clock limit of one tuning. */
  readonly seconds: number;
  /** Most candidates that are measured. */
  readonly trials: number;
}
