// Run the iterations of a loop as the lanes of vectors. Where it is the innermost of a reduction, the lanes are combined at the end, in another
// order than that of the loop.
//
//   vectorize for i in 0..8
//     C[i] = A[i] * s           →    C[ramp(0, 1, 8)] = A[ramp(0, 1, 8)] * broadcast(s, 8)
//   vectorize for k in 0..8
//     C[0] = C[0] + A[k]        →    C[0] = C[0] + fold.add(A[ramp(0, 1, 8)])
//
// Legal for reductions whose operation is associative and commutative: see `rfactor` on the rounding.

import type { For } from "../../ir/loop-ir.ts";
import { findLoop, reduceVars } from "../nest.ts";
import { isAssociative } from "../reduction.ts";
import { loopField } from "./field.ts";
import { illegal } from "./illegal.ts";
import { checkIndependent, checkMark, markLoop } from "./mark.ts";
import { definePrimitive } from "./primitive.ts";

/** Most lanes: sixteen vectors of the widest; more is a register tile's work, by unrolling. */
const mostLanes = 256;

/** Says whether the loop has nothing in it but one step of a reduction that it drives, by an operation whose order may change. */
const isFolded = ({ name, body }: For): boolean =>
  body.kind === "block" && reduceVars(body).has(name) && isAssociative(body);

export const vectorize = definePrimitive({
  kind: "vectorize",
  fields: [loopField],
  role: "mark",

  check(nest, { loop }) {
    const marked = checkMark(nest, loop, "vectorize");
    if (marked) return marked;
    const place = findLoop(nest, loop)!;
    const carried = isFolded(place.loop) ? null : checkIndependent(nest, loop, "vectorize");
    if (carried) return carried;
    const { extent } = place.loop;
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
