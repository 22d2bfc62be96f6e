// Share the iterations of a loop among threads. They must be independent: no reduction may run over the loop, and it
// must stand outside all other loops, so that a thread is woken once a call. Without a loop: of all outermost loops that may be.

import type { For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { findLoop } from "../nest.ts";
import { illegal } from "./illegal.ts";
import { checkIndependent, checkMark, markLoop } from "./mark.ts";
import type { Primitive } from "./primitive.ts";

export const parallel: Primitive<"parallel"> = {
  kind: "parallel",

  check(nest, { loop }) {
    if (loop === null) return null;
    const marked = checkMark(nest, loop, "parallel") ?? checkIndependent(nest, loop, "parallel");
    if (marked) return marked;
    const { around } = findLoop(nest, loop)!;
    if (around.length === 0) return null;
    return illegal("parallel.not-outermost", nest, [loop], `${loop} is inside ${around.at(-1)!.name}`);
  },

  apply(nest, { loop }) {
    const loops =
      loop === null ? outermost(nest).filter((name) => parallel.check(nest, loopArgs(name)) === null) : [loop];
    return loops.reduce((result, name) => markLoop(result, name, "parallel"), nest);
  },

  print: ({ loop }) => `parallel ${loop ?? "outermost loops"}`,
};

const loopArgs = (loop: string) => ({ kind: "parallel", loop }) as const;

const outermost = ({ body }: LoopFunc): readonly string[] =>
  (body.kind === "seq" ? body.body : [body]).filter(isLoop).map(({ name }) => name);

const isLoop = (stmt: Stmt): stmt is For => stmt.kind === "for";
