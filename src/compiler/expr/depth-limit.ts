// Refuses an element that is made of more operations in a row than compilers take: a deep nest of calls in each of them.

import { depthOf } from "../support/graph.ts";
import { fail } from "./builder.ts";
import { children } from "./expr-visit.ts";
import type { ScalarExpr } from "./scalar-expr.ts";

/** Most operations inside each other: far below what the stack of a thread of Node holds, in passes that recurse into an expression. */
export const mostDepth = 4000;

/** @param what names the expression in the message */
export function requireDepth(expr: ScalarExpr, what: string): void {
  const depth = depthOf(expr, children);
  if (depth <= mostDepth) return;
  fail("expr.too-deep", `${what} is ${depth} operations deep, at most ${mostDepth} can be compiled`, {
    hint: "make a compute of its own of a part, and read that",
  });
}
