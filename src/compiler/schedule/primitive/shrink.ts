// A buffer that is only used under one loop, each iteration for itself → a buffer of the region that an iteration uses.
//
//   for i.0: for i.1: P[i.0*4 + i.1] = …; Q[…] = P[i.0*4 + i.1]   →   … P[i.1] = …; Q[…] = P[i.1]        P: f32[4]

import { exprKey } from "../../ir/expr-key.ts";
import type { Block, Expr, For, LoopFunc } from "../../ir/loop-ir.ts";
import { updateBlock, updateFor } from "../../ir/update.ts";
import { completeAfter } from "../complete-region.ts";
import { loadsOf, readersOf, readsFrom, writersOf } from "../dataflow.ts";
import { bindAxes, blocksIn, bufferNamed, findLoop, loopsIn, mapBlocks, replaceLoop } from "../nest.ts";
import { boundingBox, countOf, type DimRegion } from "../region.ts";
import { local, rebase } from "./compute-at.ts";

/** Makes the buffer smaller. Returns the nest as it is if someone else needs the buffer or an iteration needs what another one left. */
export function shrinkIfLocal(nest: LoopFunc, buffer: string, loopName: string): LoopFunc {
  const { loop } = findLoop(nest, loopName)!;
  const box = regionOfIteration(nest, buffer, loop);
  return box ? shrinkUnder(nest, buffer, loop, box) : nest;
}

function regionOfIteration(nest: LoopFunc, buffer: string, loop: For): DimRegion[] | null {
  const under = new Set(blocksIn(loop));
  const writers = writersOf(nest, buffer);
  if (bufferNamed(nest, buffer)!.role === "output") return null;
  if (![...writers, ...readersOf(nest, buffer)].every((block) => under.has(block))) return null;
  const first = blocksIn(loop).find((block) => block.buffer === buffer || readsFrom(block, buffer));
  if (!first || (readsFrom(first, buffer) && !first.init)) return null;
  const completion = completeAfter(nest, loop.name, writers);
  const used = boundingBox(accessesUnder(loop, buffer), loopsIn(loop.body));
  if (completion.kind !== "complete" || completion.region.last.length > 0 || !used) return null;
  return used.every((dim, at) => isSame(dim, completion.region.box[at]!)) ? used : null;
}

const isSame = (a: DimRegion, b: DimRegion): boolean => a.extent === b.extent && exprKey(a.start) === exprKey(b.start);

/** Every access below the loop, as indices over loops. */
const accessesUnder = (loop: For, buffer: string): readonly (readonly Expr[])[] =>
  blocksIn(loop).flatMap((block) => [
    ...(block.buffer === buffer ? [block.indices.map((index) => bindAxes(block, index))] : []),
    ...loadsOf(block, buffer).map((indices) => indices.map((index) => bindAxes(block, index))),
  ]);

function shrinkUnder(nest: LoopFunc, buffer: string, loop: For, box: readonly DimRegion[]): LoopFunc {
  const inside = loopsIn(loop.body);
  const moved = (block: Block): Block => {
    const reading = rebase(block, buffer, box, inside);
    return block.buffer === buffer
      ? updateBlock(reading, { indices: local(block.indices, block, box, inside) })
      : reading;
  };
  const shape = box.map(countOf);
  return {
    ...replaceLoop(nest, loop.name, (it) => updateFor(it, { body: mapBlocks(it.body, moved) })),
    buffers: nest.buffers.map((it) => (it.name === buffer ? { ...it, shape } : it)),
  };
}
