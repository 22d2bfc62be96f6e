// Share the iterations of a loop among threads. They must be independent: no reduction may run over the loop, and it
// must stand outside all other loops, so that a thread is woken once a call.

import { findLoop } from "../nest.ts";
import { illegal } from "./illegal.ts";
import { checkIndependent, checkMark, markLoop } from "./mark.ts";
import type { Primitive } from "./primitive.ts";

export const parallel: Primitive<"parallel"> = {
  kind: "parallel",

  check(nest, { loop }) {
    const marked = checkMark(nest, loop, "parallel") ?? checkIndependent(nest, loop, "parallel");
    if (marked) return marked;
    const { around } = findLoop(nest, loop)!;
    if (around.length === 0) return null;
    return illegal("parallel.not-outermost", nest, [loop], `${loop} is inside ${around.at(-1)!.name}`);
  },

  apply: (nest, { loop }) => markLoop(nest, loop, "parallel"),
  print: ({ loop }) => `parallel ${loop}`,
};
