// A scheduled function → the form that the code generator of a target reads, by the generator's own list of passes.

import type { LoopFunc } from "../ir/loop-ir.ts";
import { type LowerOptions, runPasses } from "../lower/pipeline.ts";
import { codeGeneratorOf } from "./code-generators.ts";

/**
 * Lowers a function for a target. What it computes stays the same.
 *
 *     const flat = lower(nest, { target: avx2, numerics: "fast", dump: (name, func) => console.log(name, printFunc(func)) });
 */
export const lower = (scheduled: LoopFunc, options: LowerOptions): LoopFunc =>
  runPasses(scheduled, codeGeneratorOf(options.target).passes, options);
