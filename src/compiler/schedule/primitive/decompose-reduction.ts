// Give the initialisation of a reduction a block of its own, before a loop.
//
//   for C.i                      for C.i
//     for C.k                      block C.init: C[i] = 0
//       C[i] += …  init 0    →     for C.k
//                                    C[i] += …

import type { For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { updateBlock } from "../../ir/update.ts";
import { varsIn } from "../../ir/visit.ts";
import { bindAxes, findBlock, mapBlocks, reduceVars, replaceLoop, wrapLoops } from "../nest.ts";
import { repeatingVars } from "../recompute.ts";
import { copySpatialLoops } from "../spatial-copy.ts";
import { blockField, loopField } from "./field.ts";
import { illegal, noSuchBlock, noSuchLoop } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

const withoutInit = (stmt: Stmt, name: string): Stmt =>
  mapBlocks(stmt, (block) => (block.name === name ? updateBlock(block, { init: null }) : block));

/** The loops around a block, cut at `loop`: those outside it, and those from it on inwards. Null if it is not there. */
export function loopsFrom(nest: LoopFunc, block: string, loop: string): { outside: For[]; inside: For[] } | null {
  const around = findBlock(nest, block)?.around ?? [];
  const at = around.findIndex(({ name }) => name === loop);
  return at < 0 ? null : { outside: around.slice(0, at), inside: around.slice(at) };
}

export const decomposeReduction = definePrimitive({
  kind: "decompose-reduction",
  fields: [blockField, loopField],
  role: "step",

  check(nest, { block: name, loop }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("decompose-reduction.no-such-block", nest, name);
    const cut = loopsFrom(nest, name, loop);
    if (!cut) return noSuchLoop("decompose-reduction.no-such-loop", nest, loop);
    const { block } = place;
    if (!block.init) {
      return illegal("decompose-reduction.no-init", nest, [], `${name} is no reduction that initialises its elements`);
    }
    const reducing = reduceVars(block);
    const outer = cut.outside.filter((around) => reducing.has(around.name)).map((around) => around.name);
    if (outer.length > 0) {
      return illegal(
        "decompose-reduction.inside",
        nest,
        outer,
        `${outer.join(", ")} would initialise ${name} again in each iteration`,
        "choose a loop outside of all reduce loops",
      );
    }
    const own = new Set([...reducing, ...block.indices.flatMap((index) => [...varsIn(bindAxes(block, index))])]);
    const foreign = cut.inside.filter(({ name, extent }) => extent > 1 && !own.has(name)).map(({ name }) => name);
    if (foreign.length > 0) {
      return illegal(
        "decompose-reduction.repeated",
        nest,
        foreign,
        `${name} is computed again in each iteration of ${foreign.join(", ")}, and needs its initialisation there`,
        `choose a loop of ${name}`,
      );
    }
    const repeating = repeatingVars(block);
    const again = cut.inside.find((loop) => repeating.has(loop.name));
    if (!again) return null;
    return illegal(
      "decompose-reduction.recomputes",
      nest,
      [again.name],
      `${again.name} comes back to elements of ${name}, whose sums would go on instead of starting anew`,
      `choose a loop inside ${again.name}`,
    );
  },

  apply(nest, { block: name, loop }) {
    const { block } = findBlock(nest, name)!;
    const copy = copySpatialLoops(nest, block, loopsFrom(nest, name, loop)!.inside, "init");
    const { axes, bindings } = copy;
    const indices = block.indices.map(copy.rename);
    const init = updateBlock(block, { name: `${name}.init`, axes, bindings, indices, init: null, value: block.init! });
    return replaceLoop(nest, loop, (original) => ({
      kind: "seq",
      body: [wrapLoops(copy.loops, init), withoutInit(original, name)],
    }));
  },

  print: ({ block, loop }) => `decompose-reduction ${block} at ${loop}`,
});
