// Unroll an outer loop and run its copies in the innermost body: split, reorder, unroll.
//
//   for C.i in 0..8            for C.i.0 in 0..2
//     for C.k                    for C.k
//       C[C.i] += …        →       C[C.i.0*4] += …; C[C.i.0*4 + 1] += …; C[C.i.0*4 + 2] += …; C[C.i.0*4 + 3] += …
//
// A composition, no primitive: the instructions are what is recorded and checked.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { findLoop } from "../nest.ts";
import type { SplitTail, Trace } from "../trace.ts";

export interface UnrollAndJamOptions {
  /** Iterations that are jammed together; the whole loop if there is none. */
  readonly factor?: number;
  readonly tail?: SplitTail;
}

/**
 * The instructions, for the nest as it is then; `replay` tells whether they are legal.
 *
 *     schedule(nest, unrollAndJam(nest, "C.i", { factor: 4 }))
 */
export function unrollAndJam(nest: LoopFunc, loop: string, options: UnrollAndJamOptions = {}): Trace {
  const { factor, tail = "cut" } = options;
  const jammed = factor === undefined ? loop : `${loop}.1`;
  const inside = chainInside(nest, loop);
  return [
    ...(factor === undefined ? [] : [{ kind: "split", loop, factors: [0, factor], tail } as const]),
    ...(inside.length === 0 ? [] : [{ kind: "reorder", loops: [...inside, jammed] } as const]),
    { kind: "unroll", loop: jammed },
  ];
}

/** The loops that follow, one directly inside the other. */
function chainInside(nest: LoopFunc, name: string): readonly string[] {
  const names: string[] = [];
  let stmt = findLoop(nest, name)?.loop.body;
  while (stmt?.kind === "for") {
    names.push(stmt.name);
    stmt = stmt.body;
  }
  return names;
}
