// Finds loops that compute some elements twice, as the last tile of a split that shifts inwards does, and checks that
// this does no harm.
//
//   for i.0 in 0..3, for i.1 in 0..4: i = min(i.0*4, 5) + i.1 in 0..9      5, 6 and 7 come twice
//
// Computing an element again is harmless if its inputs have not changed meanwhile. A sum must start anew each time, so
// its loops have to stay inside the loop that comes back.

import type { Block, For, LoopFunc } from "../ir/loop-ir.ts";
import { addVars, varsIn, walkExpr } from "../ir/visit.ts";
import { remembered } from "../support/remembered.ts";
import { fills } from "./complete-region.ts";
import { buffersRead, loadsOf } from "./dataflow.ts";
import { bindAxes, blocksIn, type LoopPlace, loopsIn, reduceVars } from "./nest.ts";
import { boundingBox } from "./region.ts";

/** Loops that come back to elements of the block: what a `min` in its bindings depends on. */
export const repeatingVars = remembered(({ bindings }: Block): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const binding of bindings) {
    walkExpr(binding, (node) => {
      if (node.kind === "binary" && node.op === "min") addVars(node, names);
    });
  }
  return names;
});

export interface Repeated {
  readonly block: string;
  readonly loop: string;
}

/**
 * Finds a loop inside of a sum's own loops that computes elements of the sum again; null: there is none. `order`: loops,
 * outermost first.
 */
export function repeatedSum(nest: LoopFunc, order: readonly string[]): Repeated | null {
  for (const block of blocksIn(nest.body)) {
    const repeating = repeatingVars(block);
    const reducing = reduceVars(block);
    const first = order.findIndex((name) => reducing.has(name));
    const loop = first < 0 ? undefined : order.slice(first).find((name) => repeating.has(name));
    if (loop !== undefined) return { block: block.name, loop };
  }
  return null;
}

/** A block under the loop that must not run twice for an element, and why not. */
export function harmedByRepeat({ loop, around }: LoopPlace): { readonly block: string; readonly why: string } | null {
  const blocks = blocksIn(loop);
  const written = new Set(blocks.map(({ buffer }) => buffer));
  const outside = new Set([...around, loop].filter(({ extent }) => extent > 1).map(({ name }) => name));
  for (const [at, block] of blocks.entries()) {
    const sums = block.axes.some(({ role }, axis) => role === "reduce" && varsIn(block.bindings[axis]!).has(loop.name));
    if (sums) return { block: block.name, why: `adds up over ${loop.name}` };
    for (const buffer of buffersRead(block)) {
      if (!written.has(buffer)) continue;
      const starts = buffer === block.buffer && block.init && ![...reduceVars(block)].some((name) => outside.has(name));
      if (starts || blocks.slice(0, at).some((writer) => suppliesAll(writer, block, buffer, loop))) continue;
      return { block: block.name, why: `reads ${buffer} as an earlier iteration may have left it` };
    }
  }
  return null;
}

/** Says whether the writer writes, in each iteration, all that the reader reads in it, and makes it from other buffers. */
function suppliesAll(writer: Block, reader: Block, buffer: string, loop: For): boolean {
  if (writer.buffer !== buffer || buffersRead(writer).has(buffer)) return false;
  const inside = loopsIn(loop.body);
  const write = writer.indices.map((index) => bindAxes(writer, index));
  const reads = loadsOf(reader, buffer).map((indices) => indices.map((index) => bindAxes(reader, index)));
  const own = boundingBox([write], inside);
  const all = boundingBox([write, ...reads], inside);
  if (!own || !all || !fills(write, inside, own)) return false;
  return own.every(({ extent, step, startAffine }, dim) => {
    const whole = all[dim]!;
    return extent === whole.extent && step === whole.step && startAffine.constant === whole.startAffine.constant;
  });
}
