// Share the iterations of a loop among threads. They must be independent: no reduction may run over the loop, and it
// must stand outside all other loops, so that a thread is woken once a call. Without a loop: of all outermost loops that may be. Loops of one
// iteration do not count.

import type { For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { findLoop } from "../nest.ts";
import { loopOrNullField } from "./field.ts";
import { illegal } from "./illegal.ts";
import { checkIndependent, checkMark, markLoop } from "./mark.ts";
import { definePrimitive } from "./primitive.ts";

export const parallel = definePrimitive({
  kind: "parallel",
  fields: [loopOrNullField],
  role: "mark",

  check: (nest, { loop }) => (loop === null ? null : checkLoop(nest, loop)),

  apply(nest, { loop }) {
    const loops = loop === null ? outermost(nest).filter((name) => checkLoop(nest, name) === null) : [loop];
    return loops.reduce((result, name) => markLoop(result, name, "parallel"), nest);
  },

  print: ({ loop }) => `parallel ${loop ?? "outermost loops"}`,
});

function checkLoop(nest: LoopFunc, loop: string): Diagnostic | null {
  const marked = checkMark(nest, loop, "parallel") ?? checkIndependent(nest, loop, "parallel");
  if (marked) return marked;
  const { around } = findLoop(nest, loop)!;
  const outer = around.findLast(({ extent }) => extent > 1);
  if (!outer) return null;
  return illegal("parallel.not-outermost", nest, [loop], `${loop} is inside ${outer.name}`);
}

const outermost = ({ body }: LoopFunc): readonly string[] =>
  (body.kind === "seq" ? body.body : [body]).filter(isLoop).map((loop) => longer(loop).name);

/** The loop, or the first inside that has several iterations where it has one. */
function longer(loop: For): For {
  const inner = loop.extent === 1 && isLoop(loop.body) ? longer(loop.body) : loop;
  return inner.extent > 1 ? inner : loop;
}

const isLoop = (stmt: Stmt): stmt is For => stmt.kind === "for";
