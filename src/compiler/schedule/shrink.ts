// A buffer that is only used under one loop → a buffer of the region that an iteration of the loop uses.
//
//   for i.0: for i.1: P[i.0*4 + i.1] = …; Q[…] = P[i.0*4 + i.1]   →   … P[i.1] = …; Q[…] = P[i.1]        P: f32[4]

import type { Block, Expr, For, LoopFunc } from "../ir/loop-ir.ts";
import { loadsOf } from "./dataflow.ts";
import { bindAxes, blocksIn, loopsIn, mapBlocks, replaceLoop } from "./nest.ts";
import { local, rebase } from "./primitive/compute-at.ts";
import { boundingBox, countOf, type DimRegion } from "./region.ts";

/** Every access below the loop, as indices over loops. */
const accessesUnder = (loop: For, buffer: string): readonly (readonly Expr[])[] =>
  blocksIn(loop).flatMap((block) => [
    ...(block.buffer === buffer ? [block.indices.map((index) => bindAxes(block, index))] : []),
    ...loadsOf(block, buffer).map((indices) => indices.map((index) => bindAxes(block, index))),
  ]);

/** What an iteration of the loop uses of the buffer; null if no box holds it. */
export const regionUsed = (loop: For, buffer: string): DimRegion[] | null =>
  boundingBox(accessesUnder(loop, buffer), loopsIn(loop.body));

/** All accesses must be under the loop, and no iteration may need what another one left. */
export function shrinkUnder(nest: LoopFunc, buffer: string, loop: For): LoopFunc {
  const box = regionUsed(loop, buffer)!;
  const inside = loopsIn(loop.body);
  const moved = (block: Block): Block => {
    const reading = rebase(block, buffer, box, inside);
    return block.buffer === buffer ? { ...reading, indices: local(block.indices, block, box, inside) } : reading;
  };
  const shape = box.map(countOf);
  return {
    ...replaceLoop(nest, loop.name, (it) => ({ ...it, body: mapBlocks(it.body, moved) })),
    buffers: nest.buffers.map((it) => (it.name === buffer ? { ...it, shape } : it)),
  };
}
