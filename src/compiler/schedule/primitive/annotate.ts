// Leave a word and a number at a loop, for the code generators. Its meaning stays what it is.
//
//   for C.k in 0..64    →    for C.k in 0..64 (unroll: 4)          in C: #pragma GCC unroll 4
//
// The parts of a loop that is split or cut later have its words each.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { updateFor } from "../../ir/update.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { findLoop, replaceLoop } from "../nest.ts";
import { anyName, field, integerFrom, loopField } from "./field.ts";
import { illegal, noSuchLoop } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const annotate = definePrimitive({
  kind: "annotate",
  fields: [loopField, field("key", anyName), field("value", integerFrom(Number.MIN_SAFE_INTEGER))],
  role: "mark",

  check(nest, { loop: name, key, value }) {
    const place = findLoop(nest, name);
    if (!place) return noSuchLoop("annotate.no-such-loop", nest, name);
    if (!/^[a-z][a-z0-9-]*$/.test(key)) {
      return illegal("annotate.bad-key", nest, [name], `"${key}" is no word of small letters, digits and hyphens`);
    }
    if (place.loop.annotations[key] !== undefined) {
      return illegal("annotate.twice", nest, [name], `${name} has ${key} already`);
    }
    const wrong = Number.isSafeInteger(value) ? null : `${key} of ${name} is ${value}, an integer is wanted`;
    const problem = wrong ?? (key === "unroll" ? depthProblem(name, value) : null);
    return problem === null ? null : illegal("annotate.bad-value", nest, [name], problem);
  },

  apply: (nest, { loop, key, value }) => withAnnotation(nest, loop, key, value),
  print: ({ loop, key, value }) => `annotate ${loop} ${key} ${value}`,
});

/** Deepest unrolling: GCC takes no more. */
const mostDepth = 65534;

const depthProblem = (loop: string, depth: number): string | null =>
  Number.isInteger(depth) && depth >= 1 && depth <= mostDepth
    ? null
    : `${loop} cannot be unrolled ${depth} times, 1 to ${mostDepth} are possible`;

/** Checks `unroll` with a depth, which is one word among others. */
export function checkDepth(nest: LoopFunc, name: string, depth: number): Diagnostic | null {
  const problem = depthProblem(name, depth);
  if (problem !== null) return illegal("unroll.bad-depth", nest, [name], problem);
  const known = findLoop(nest, name)!.loop.annotations.unroll;
  if (known === undefined) return null;
  return illegal("unroll.twice", nest, [name], `${name} is to be unrolled ${known} times already`);
}

export const withAnnotation = (nest: LoopFunc, name: string, key: string, value: number): LoopFunc =>
  replaceLoop(nest, name, (loop) => updateFor(loop, { annotations: { ...loop.annotations, [key]: value } }));
