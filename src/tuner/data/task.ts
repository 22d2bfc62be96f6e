// A task to be tuned: an operator, a target, and the options that change the result. Stage 2.

import type { ComputeDef, Numerics, Target } from "../../compiler/index.ts";

export interface TuningTask {
  readonly op: ComputeDef;
  readonly target: Target;
  readonly numerics: Numerics;
  readonly threads: number;
  /**
   * Inputs that stay the same from call to call, such as weights. What depends on them alone is computed before, and not
   * timed; they may be laid out as a schedule likes them best.
   */
  readonly constants?: readonly string[];
}

export interface Budget {
  /** Wall-clock limit of one tuning. */
  readonly seconds: number;
  /** Most candidates that are measured. */
  readonly trials: number;
}
