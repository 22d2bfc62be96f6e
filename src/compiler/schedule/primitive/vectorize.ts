// Run the iterations of a loop as the lanes of vectors.
//
//   vectorize for i in 0..8
//     C[i] = A[i] * s           →    C[ramp(0, 1, 8)] = A[ramp(0, 1, 8)] * broadcast(s, 8)

import { findLoop } from "../nest.ts";
import { loopField } from "./field.ts";
import { illegal } from "./illegal.ts";
import { checkIndependent, checkMark, markLoop } from "./mark.ts";
import { definePrimitive } from "./primitive.ts";

/** Most lanes: sixteen vectors of the widest; more is a register tile's work, by unrolling. */
const mostLanes = 256;

export const vectorize = definePrimitive({
  kind: "vectorize",
  fields: [loopField],
  role: "mark",

  check(nest, { loop }) {
    const marked = checkMark(nest, loop, "vectorize") ?? checkIndependent(nest, loop, "vectorize");
    if (marked) return marked;
    const { extent } = findLoop(nest, loop)!.loop;
    if (extent <= mostLanes) return null;
    return illegal(
      "vectorize.too-many-lanes",
      nest,
      [loop],
      `${loop} has ${extent} iterations, at most ${mostLanes} lanes are possible`,
      "split it and vectorize the inner loop",
    );
  },

  apply: (nest, { loop }) => markLoop(nest, loop, "vectorized"),
  print: ({ loop }) => `vectorize ${loop}`,
});
