// Put the loops of one chain into another order. The loops named take, among themselves, the positions they had.
//
//   for C.i            for C.k
//     for C.j    →       for C.j        (reorder C.k C.i: C.j stays where it was)
//       for C.k            for C.i
//
// Always legal on a chain (loops with nothing between them): a block's instances are independent but for the order of
// its reduction, and its first reduce iteration stays the first. (But where a split shifts its last tile inwards, the sums
// have to start anew for the elements that come twice, so their loops stay inside.) Whether another order of the sum is wanted is a
// question of numerics, which the rules that build schedules answer.

import type { For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { carriedBuffer } from "../carried.ts";
import { findLoop, replaceLoop, wrapLoops } from "../nest.ts";
import { repeatedSum } from "../recompute.ts";
import { anyName, field, listOf } from "./field.ts";
import { illegal, noSuchLoop } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

/** The chain of loops from `outermost` down to where all of `wanted` have been met, and what is inside it. */
function chainOf(outermost: For, wanted: ReadonlySet<string>): { loops: readonly For[]; body: Stmt } | null {
  const loops: For[] = [];
  const missing = new Set(wanted);
  let stmt: Stmt = outermost;
  while (missing.size > 0) {
    if (stmt.kind !== "for") return null;
    loops.push(stmt);
    missing.delete(stmt.name);
    stmt = stmt.body;
  }
  return { loops, body: stmt };
}

function outermostOf(nest: LoopFunc, names: readonly string[]): For | null {
  const places = names.map((name) => findLoop(nest, name));
  const first = places.reduce((best, place) =>
    place && best && place.around.length < best.around.length ? place : best,
  );
  return first?.loop ?? null;
}

/** Names of the loops of the chain in their new order. */
function reordered(outermost: For, names: readonly string[]): readonly string[] {
  const { loops } = chainOf(outermost, new Set(names))!;
  const order = names.values();
  return loops.map(({ name }) => (names.includes(name) ? order.next().value! : name));
}

export const reorder = definePrimitive({
  kind: "reorder",
  fields: [field("loops", listOf(anyName), "loops")],
  role: "order",

  check(nest, { loops }) {
    const missing = loops.find((loop) => !findLoop(nest, loop));
    if (missing !== undefined) return noSuchLoop("reorder.no-such-loop", nest, missing);
    if (loops.length === 0 || new Set(loops).size !== loops.length) {
      return illegal("reorder.repeated", nest, loops, "the loops to reorder are not a list of different loops");
    }
    const outermost = outermostOf(nest, loops);
    if (!outermost || !chainOf(outermost, new Set(loops))) {
      return illegal(
        "reorder.not-a-chain",
        nest,
        loops,
        `${loops.join(", ")} are not on one chain of loops`,
        "reorder before compute-at, cache-read and cache-write put statements between the loops",
      );
    }
    const window = chainOf(outermost, new Set(loops))!.loops.find((loop) => carriedBuffer(loop));
    if (window) {
      const text = `iterations of ${window.name} may read what earlier ones have left in ${carriedBuffer(window)}`;
      return illegal("reorder.carried", nest, [window.name], text, "reorder before hoist-storage lets windows slide");
    }
    const harmed = repeatedSum(nest, reordered(outermost, loops));
    if (!harmed) return null;
    return illegal(
      "reorder.recomputes",
      nest,
      [harmed.loop],
      `${harmed.loop} comes back to elements of ${harmed.block}, whose sums would go on instead of starting anew`,
      `keep ${harmed.loop} outside of the reduce loops`,
    );
  },

  apply(nest, { loops: names }) {
    const wanted = new Set(names);
    return replaceLoop(nest, outermostOf(nest, names)!.name, (outermost) => {
      const { loops, body } = chainOf(outermost, wanted)!;
      const byName = new Map(loops.map((loop) => [loop.name, loop]));
      const order = names.values();
      return wrapLoops(
        loops.map((loop) => (wanted.has(loop.name) ? byName.get(order.next().value!)! : loop)),
        body,
      );
    });
  },

  print: ({ loops }) => `reorder ${loops.join(" ")}`,
});
