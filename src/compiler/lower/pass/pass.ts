// The contract of a lowering pass: one file each beside this one, their order in `../pipeline.ts`.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import type { Numerics, Target } from "../../target/target.ts";

export interface LoweringContext {
  readonly target: Target;
  readonly numerics: Numerics;
}

export interface Pass {
  /** Name of the pass, and of its dump. */
  readonly name: string;
  /** Returns a function with the same meaning. */
  run(func: LoopFunc, context: LoweringContext): LoopFunc;
}
