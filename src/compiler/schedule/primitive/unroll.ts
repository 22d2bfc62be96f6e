// Unroll a loop completely: the lowering writes its body out once an iteration.
//
//   unroll for i in 0..2          C[0] = A[0]
//     C[i] = A[i]            →    C[1] = A[1]

import { checkMark, markLoop } from "./mark.ts";
import type { Primitive } from "./primitive.ts";

export const unroll: Primitive<"unroll"> = {
  kind: "unroll",
  check: (nest, { loop }) => checkMark(nest, loop, "unroll"),
  apply: (nest, { loop }) => markLoop(nest, loop, "unrolled"),
  print: ({ loop }) => `unroll ${loop}`,
};
