// Make one loop of two that follow one another and have equal extents. It keeps the name of the first.
//
//   for C.i: for C.j: C[i, j] = …                for C.i
//   for D.i: for D.j: D[i, j] = g(C[i, j])   →     for C.j: C[0, j] = …
//                                                  for D.j: D[i, j] = g(C[0, j])
//
// Legal where no iteration needs what a later one computes: two GEMMs with an exp between them, by rows. A buffer that
// each iteration now uses for itself shrinks to what an iteration uses.

import { seq, variable } from "../../ir/build.ts";
import type { For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { printExpr } from "../../ir/print-expr.ts";
import { updateFor } from "../../ir/update.ts";
import { flattenSeq } from "../../ir/visit.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { type BlockAccess, firstConflict } from "../dependence.ts";
import { blocksIn, editStmt, findLoop, substituteInBlocks } from "../nest.ts";
import { loopFieldNamed } from "./field.ts";
import { illegal, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";
import { shrinkIfLocal } from "./shrink.ts";

export const mergeLoops = definePrimitive({
  kind: "merge-loops",
  fields: [loopFieldNamed("first"), loopFieldNamed("second")],
  role: "step",

  check(nest, { first, second }) {
    const missing = [first, second].find((loop) => !findLoop(nest, loop));
    if (missing !== undefined) return noSuchLoop("merge-loops.no-such-loop", nest, missing);
    const [one, other] = [findLoop(nest, first)!.loop, findLoop(nest, second)!.loop];
    const no = (code: ReasonOf<"merge-loops">, text: string, hint: string | null = null) =>
      illegal(`merge-loops.${code}`, nest, [first, second], text, hint);
    if (!joinIn(nest.body, one, other)) return no("not-consecutive", `${second} does not follow right after ${first}`);
    if (one.extent !== other.extent) {
      return no("extents", `${first} has ${one.extent} iterations, ${second} has ${other.extent}`);
    }
    if (one.mark !== "serial" || other.mark !== "serial") {
      return no("marked", "a marked loop cannot be merged", "merge first, mark then");
    }
    return checkDependence(nest, one, other);
  },

  apply(nest, { first, second }) {
    const one = findLoop(nest, first)!.loop;
    const merged = { ...nest, body: joinIn(nest.body, one, findLoop(nest, second)!.loop)! };
    const written = new Set(blocksIn(one).map(({ buffer }) => buffer));
    return [...written].reduce<LoopFunc>((func, buffer) => shrinkIfLocal(func, buffer, first), merged);
  },

  print: ({ first, second }) => `merge-loops ${first} ${second}`,
});

/** The nest with both loops merged; null if there is something between them. */
function joinIn(root: Stmt, first: For, second: For): Stmt | null {
  let found = false;
  const joined = editStmt(root, (stmt) => {
    if (stmt.kind !== "seq") return null;
    const { body } = flattenSeq(stmt.body);
    const at = body.indexOf(first);
    if (at < 0 || body[at + 1] !== second) return null;
    found = true;
    return seq(...body.slice(0, at), merge(first, second), ...body.slice(at + 2));
  });
  return found ? joined : null;
}

const merge = (first: For, second: For): For =>
  updateFor(first, {
    tail: first.tail === "guard" ? second.tail : first.tail,
    body: flattenSeq([first.body, substituteInBlocks(second.body, new Map([[second.name, variable(first.name)]]))]),
  });

function checkDependence(nest: LoopFunc, first: For, second: For): Diagnostic | null {
  const conflict = firstConflict(nest, first, second, findLoop(nest, first.name)!.around);
  if (!conflict) return null;
  const [a, b] = [conflict.first, conflict.second];
  return illegal(
    "merge-loops.dependence",
    nest,
    [first.name, second.name, a.block.name, b.block.name],
    `${b.block.name} ${verb(b)} ${element(b)} in an iteration of ${second.name}, and ${a.block.name} ${verb(a)} it in a later one of ${first.name}`,
  );
}

const verb = ({ writes }: BlockAccess): string => (writes ? "writes" : "reads");
const element = ({ buffer, indices }: BlockAccess): string => `${buffer}[${indices.map(printExpr).join(", ")}]`;
