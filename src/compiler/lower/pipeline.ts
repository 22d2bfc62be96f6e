// Scheduled loop IR → flat loop IR: the passes, in order.

import type { LoopFunc } from "../ir/loop-ir.ts";
import { assertVerified, type Form } from "../ir/verify.ts";
import { branchSelects } from "./pass/branch-selects.ts";
import { cutTails } from "./pass/cut-tails.ts";
import { checkThreads } from "./pass/distribute-threads/check-threads.ts";
import { distributeThreads } from "./pass/distribute-threads.ts";
import { expandMath } from "./pass/expand-math.ts";
import { flatten } from "./pass/flatten.ts";
import { hoistConditions } from "./pass/hoist-conditions.ts";
import { insertPrefetches } from "./pass/insert-prefetches.ts";
import { lowerBlocks } from "./pass/lower-blocks.ts";
import type { LoweringContext, Pass } from "./pass/pass.ts";
import { pipelineLoops } from "./pass/pipeline-loops.ts";
import { promoteOwnRegisters } from "./pass/promote-own-registers.ts";
import { promoteRegisters } from "./pass/promote-registers.ts";
import { shareLoads } from "./pass/share-loads.ts";
import { shareValues } from "./pass/share-values.ts";
import { tensorize } from "./pass/tensorize.ts";
import { transposeLoads } from "./pass/transpose-loads.ts";
import { unroll } from "./pass/unroll.ts";
import { vectorize, vectorizeForThreads } from "./pass/vectorize.ts";
import { warpTiles } from "./pass/warp-tiles.ts";
import { refuseThreads } from "./refuse-threads.ts";

/**
 * Passes for machines with vectors. Blocks first, so that all conditions are seen; flat before vectors, so that a row's end
 * is no obstacle. Tensorized loops that no intrinsic takes become vectors.
 */
export const vectorPasses: readonly Pass[] = [
  lowerBlocks,
  cutTails,
  flatten,
  tensorize,
  vectorize,
  unroll,
  branchSelects,
  hoistConditions,
  promoteRegisters,
  transposeLoads,
  shareLoads,
  shareValues,
  expandMath,
];

/**
 * The same for machines that take hints for cache lines, which are inserted while loops and indices are those of the
 * schedule.
 */
export const hintedPasses: readonly Pass[] = vectorPasses.flatMap((pass) =>
  pass === lowerBlocks ? [pass, insertPrefetches] : [pass],
);

/**
 * Passes for machines with groups of threads. Up to `distributeThreads` a loop over threads is a loop like any other; behind it
 * each thread runs all of the function, and waits for the others where barriers are.
 */
export const threadPasses: readonly Pass[] = [
  lowerBlocks,
  flatten,
  pipelineLoops,
  warpTiles,
  vectorizeForThreads,
  unroll,
  hoistConditions,
  distributeThreads,
  promoteOwnRegisters,
  shareLoads,
  shareValues,
  expandMath,
];

/** Passes that scalar code needs, and no more: blocks to statements, one-element caches to locals. For plain loops. */
export const scalarPasses: readonly Pass[] = [lowerBlocks, flatten, promoteRegisters, shareValues];

export interface LowerOptions extends LoweringContext {
  /** Called with the function after every pass. */
  readonly dump?: (name: string, func: LoopFunc) => void;
  /** Called after each pass; ends the lowering by throwing. */
  readonly onPass?: (() => void) | undefined;
  /** Checks the function after every pass; on by default, off where thousands are lowered. */
  readonly verify?: boolean;
}

/** Brings a scheduled function into the flat form that a code generator reads, by its passes. What it computes stays the same. */
export function runPasses(scheduled: LoopFunc, passes: readonly Pass[], options: LowerOptions): LoopFunc {
  if (passes.includes(distributeThreads)) checkThreads(scheduled);
  else refuseThreads(scheduled, options.target);
  const flat = passes.indexOf(flatten);
  return passes.reduce((func, pass, at) => {
    const lowered = pass.run(func, options);
    options.dump?.(pass.name, lowered);
    options.onPass?.();
    if (options.verify ?? true) assertVerified(lowered, formAfter(at, flat));
    return lowered;
  }, scheduled);
}

/** Returns the form after the pass at a place of a list; a list without `flatten` leaves accesses as they are. */
const formAfter = (at: number, flat: number): Form => (flat < 0 || at < flat ? "lowered" : "flat");
