// Winograd convolution for 3×3 windows: fewer multiplications for more additions, so sums are rounded differently, and
// an infinity in the image makes NaNs around it. So it applies only with "fast" numerics, and only to f32.
//
// Winograd, "Arithmetic Complexity of Computations" (1980); Lavin & Gray, "Fast Algorithms for Convolutional Neural
// Networks" (CVPR 2016).

import type { ComputeDef, Stage } from "../../../compiler/index.ts";
import { asWritten, type Computation } from "../../data/computation.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";
import { mergeIntoReader } from "./merge-into-reader.ts";
import { type Convolution, convolutionOf } from "./winograd/convolution.ts";
import { f23, f43, type WinogradMatrices } from "./winograd/matrices.ts";
import { takesFewerSteps } from "./winograd/operations.ts";
import { winogradUlps } from "./winograd/rounding.ts";
import { winogradStages } from "./winograd/stages.ts";

/** 4 results from 16 products instead of 36: exact on small integers, for its constants are halves. */
export const winograd2: AlgorithmRule = winograd("winograd F(2,3)", f23);

/**
 * 16 results from 36 products instead of 144, never exact. It needs no option of its own: with many channels its error
 * is at most 2.4 times that of the direct sum (7.1 √C beside √(9 C)), and "fast" promises a bound, which `info` has,
 * not an order of summation.
 */
export const winograd4: AlgorithmRule = winograd("winograd F(4,3)", f43);

function winograd(name: string, matrices: WinogradMatrices): AlgorithmRule {
  const rewrite = (op: ComputeDef): Computation =>
    op.stages.reduce((done, stage) => rewriteStage(done, stage, matrices), asWritten(op));
  return {
    name,
    applies: ({ op, numerics }) => numerics === "fast" && rewrite(op).op !== op,
    rewrite,
  };
}

function rewriteStage(done: Computation, stage: Stage, matrices: WinogradMatrices): Computation {
  const { op, roundings } = done;
  const conv = convolutionOf(stage, op);
  if (!conv || !isWorthIt(conv, matrices)) return done;
  const { transforms, result } = winogradStages(conv, matrices);
  const stages = op.stages.flatMap((it) => (it === stage ? [...transforms, result] : [it]));
  return {
    op: mergeIntoReader({ ...op, stages }, result),
    roundings: new Map([...roundings, [stage.name, winogradUlps(matrices, conv.c.extent)]]),
  };
}

/** Fewest channels. The transforms work on vectors of channels: with fewer than a vector of AVX2 holds they take longer than they save. */
const leastChannels = 8;

const isWorthIt = (conv: Convolution, matrices: WinogradMatrices): boolean =>
  Math.min(conv.c.extent, conv.f.extent) >= leastChannels && takesFewerSteps(conv, matrices);
