// Scheduled loop IR → flat loop IR: the passes, in order.

import type { LoopFunc } from "../ir/loop-ir.ts";
import { assertVerified, type Form } from "../ir/verify.ts";
import { branchSelects } from "./pass/branch-selects.ts";
import { cutTails } from "./pass/cut-tails.ts";
import { expandMath } from "./pass/expand-math.ts";
import { flatten } from "./pass/flatten.ts";
import { hoistConditions } from "./pass/hoist-conditions.ts";
import { insertPrefetches } from "./pass/insert-prefetches.ts";
import { lowerBlocks } from "./pass/lower-blocks.ts";
import type { LoweringContext, Pass } from "./pass/pass.ts";
import { promoteRegisters } from "./pass/promote-registers.ts";
import { shareLoads } from "./pass/share-loads.ts";
import { shareValues } from "./pass/share-values.ts";
import { tensorize } from "./pass/tensorize.ts";
import { unroll } from "./pass/unroll.ts";
import { vectorize } from "./pass/vectorize.ts";
import { refuseThreads } from "./refuse-threads.ts";

/**
 * Blocks first, so that all conditions are seen; flat before vectors, so that a row's end is no obstacle. Tensorized
 * loops that no intrinsic takes become vectors. Hints are inserted while loops and indices are those of the schedule.
 */
export const passes: readonly Pass[] = [
  lowerBlocks,
  insertPrefetches,
  cutTails,
  flatten,
  tensorize,
  vectorize,
  unroll,
  branchSelects,
  hoistConditions,
  promoteRegisters,
  shareLoads,
  shareValues,
  expandMath,
];

export interface LowerOptions extends LoweringContext {
  /** Called with the function after every pass. */
  readonly dump?: (name: string, func: LoopFunc) => void;
  /** Called after each pass; ends the lowering by throwing. */
  readonly onPass?: (() => void) | undefined;
  /** Checks the function after every pass; on by default, off where thousands are lowered. */
  readonly verify?: boolean;
}

/**
 * Brings a scheduled function into the flat form that the code generators read. What it computes stays the same.
 *
 *     const flat = lower(nest, { target: avx2, numerics: "fast", dump: (name, func) => console.log(name, printFunc(func)) });
 */
export function lower(scheduled: LoopFunc, options: LowerOptions): LoopFunc {
  refuseThreads(scheduled, options.target);
  return passes.reduce((func, pass) => {
    const lowered = pass.run(func, options);
    options.dump?.(pass.name, lowered);
    options.onPass?.();
    if (options.verify ?? true) assertVerified(lowered, formAfter(pass));
    return lowered;
  }, scheduled);
}

const formAfter = (pass: Pass): Form => (passes.indexOf(pass) < passes.indexOf(flatten) ? "lowered" : "flat");

/**
 * Lowers with the passes that scalar code needs, and no more: blocks to statements, one-element caches to locals. For
 * the reference loops.
 */
export const lowerScalars = (scheduled: LoopFunc, context: LoweringContext): LoopFunc =>
  [lowerBlocks, flatten, promoteRegisters, shareValues].reduce((func, pass) => pass.run(func, context), scheduled);
