// Give the iterations of a loop to the threads of a GPU's grid: the loop's variable becomes a coordinate of the thread.
//
//   for C.i in 0..64            for C.i in 0..64 blockIdx.x
//     for C.j in 0..32    →       for C.j in 0..32 threadIdx.x
//
// The mark is all there is to it in the IR. Targets without such threads refuse the schedule when it is lowered.

import type { ThreadAxis } from "../../ir/loop-ir.ts";
import { findLoop, loopsIn } from "../nest.ts";
import { field, loopField, oneOf } from "./field.ts";
import { illegal } from "./illegal.ts";
import { checkIndependent, checkMark, markLoop } from "./mark.ts";
import { definePrimitive } from "./primitive.ts";

export const threadAxes: readonly ThreadAxis[] = [
  "blockIdx.x",
  "blockIdx.y",
  "blockIdx.z",
  "threadIdx.x",
  "threadIdx.y",
  "threadIdx.z",
];

export const bind = definePrimitive({
  kind: "bind",
  fields: [loopField, field("axis", oneOf(...threadAxes))],
  role: "mark",

  check(nest, { loop: name, axis }) {
    const marked = checkMark(nest, name, "bind") ?? checkIndependent(nest, name, "bind");
    if (marked) return marked;
    const { loop, around } = findLoop(nest, name)!;
    const taken = [...around, ...loopsIn(loop.body)].find(({ mark }) => mark === axis);
    if (!taken) return null;
    return illegal("bind.taken", nest, [name, taken.name], `${taken.name} is bound to ${axis} already`);
  },

  apply: (nest, { loop, axis }) => markLoop(nest, loop, axis),
  print: ({ loop, axis }) => `bind ${loop} ${axis}`,
});
