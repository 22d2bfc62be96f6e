// Winograd convolution for 3×3 windows: fewer multiplications for more additions, so sums are rounded differently, and
// an infinity in the image makes NaNs around it. Only where numerics are "fast", only f32.
//
// Winograd, "Arithmetic Complexity of Computations" (1980); Lavin & Gray, "Fast Algorithms for Convolutional Neural
// Networks" (CVPR 2016).

import type { ComputeDef, Stage } from "../../../compiler/index.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";
import { type Convolution, convolutionOf } from "./winograd/convolution.ts";
import { mergeIntoReader } from "./winograd/merge-into-reader.ts";
import { tileCount, winogradStages } from "./winograd/stages.ts";
import { f23, type WinogradMatrices } from "./winograd/transform.ts";

/** 4 results from 16 products instead of 36: exact on small integers, for its constants are halves. */
export const winograd2: AlgorithmRule = winograd("winograd F(2,3)", f23);

function winograd(name: string, matrices: WinogradMatrices): AlgorithmRule {
  const isWorthIt = (conv: Convolution): boolean =>
    Math.min(conv.c.extent, conv.f.extent) >= leastChannels &&
    tileCount(conv.y, matrices) * tileCount(conv.x, matrices) >= leastTiles;
  const rewriteStage = (op: ComputeDef, stage: Stage): ComputeDef => {
    const conv = convolutionOf(stage, op);
    if (!conv || !isWorthIt(conv)) return op;
    const { transforms, result } = winogradStages(conv, matrices);
    const stages = op.stages.flatMap((it) => (it === stage ? [...transforms, result] : [it]));
    return mergeIntoReader({ ...op, stages }, result);
  };
  const rewrite = (op: ComputeDef): ComputeDef => op.stages.reduce(rewriteStage, op);
  return {
    name,
    applies: ({ op, numerics }) => numerics === "fast" && rewrite(op) !== op,
    rewrite,
  };
}

/** With fewer channels of either kind the transforms outweigh the multiplications that they save. */
const leastChannels = 8;
/** One tile shares its filter's transform with nobody. */
const leastTiles = 2;
