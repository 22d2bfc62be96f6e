// Unroll a loop completely: the lowering writes its body out once an iteration.
//
//   unroll for i in 0..2          C[0] = A[0]
//     C[i] = A[i]            →    C[1] = A[1]
//
// With a depth it stays one loop, and the C compiler is asked to unroll it so many times: the source stays small, and
// what is left over is the compiler's business. JavaScript and WASM have no such word and run the loop as it is.

import { checkDepth, withAnnotation } from "./annotate.ts";
import { field, integerFrom, loopField, optional } from "./field.ts";
import { checkMark, markLoop } from "./mark.ts";
import { definePrimitive } from "./primitive.ts";

export const unroll = definePrimitive({
  kind: "unroll",
  fields: [loopField, optional(field("depth", integerFrom(1)))],
  role: "mark",
  check: (nest, { loop, depth }) =>
    checkMark(nest, loop, "unroll") ?? (depth === undefined ? null : checkDepth(nest, loop, depth)),
  apply: (nest, { loop, depth }) =>
    depth === undefined ? markLoop(nest, loop, "unrolled") : withAnnotation(nest, loop, "unroll", depth),
  print: ({ loop, depth }) => (depth === undefined ? `unroll ${loop}` : `unroll ${loop} depth ${depth}`),
});
