// Loops with the word `prefetch B` → hints at the beginning of their bodies, one a cache line. In the lists of machines
// that take hints: JavaScript and WebAssembly have no such instruction. A word that has lost its sense since it was left gives none.
//
//   for k in 0..96 (prefetch B: 4)             for k in 0..96
//     for j in 0..32: … B[k, j] …       →        prefetch B[k + 4, 0]
//                                                prefetch B[k + 4, 16]
//                                                for j in 0..32: … B[k, j] …

import { add, constInt, prefetch } from "../../ir/build.ts";
import type { Buffer, Expr, For, Stmt } from "../../ir/loop-ir.ts";
import { seqOf, simplifyIndex } from "../../ir/simplify.ts";
import { updateFor } from "../../ir/update.ts";
import { mapChildren } from "../../ir/visit.ts";
import { type LineStep, type LinesAhead, linesAhead } from "../../schedule/lines-ahead.ts";
import { prefetchesAt, withoutPrefetches } from "../../schedule/prefetch-word.ts";
import { buffersOf } from "./lower-blocks.ts";
import type { Pass } from "./pass.ts";

export const insertPrefetches: Pass = {
  name: "insert-prefetches",
  run: (func) => ({ ...func, body: insert(func.body, { around: [], buffers: buffersOf(func) }) }),
};

interface Context {
  /** The loops around the statement, outermost first. */
  readonly around: readonly For[];
  readonly buffers: ReadonlyMap<string, Buffer>;
}

function insert(stmt: Stmt, context: Context): Stmt {
  if (stmt.kind !== "for") return mapChildren(stmt, (child) => insert(child, context));
  // The nest is one instruction, if nothing else is in it.
  if (stmt.mark.startsWith("tensorized ")) return stmt;
  const inner = mapChildren(stmt, (body) => insert(body, { ...context, around: [...context.around, stmt] })) as For;
  const plain = withoutPrefetches(inner);
  const hints = hintsAt(stmt, context);
  return hints.length === 0 ? plain : updateFor(plain, { body: seqOf([...hints, plain.body]) });
}

function hintsAt(loop: For, { around, buffers }: Context): readonly Stmt[] {
  if (loop.mark !== "serial" && loop.mark !== "unrolled") return [];
  return prefetchesAt(loop).flatMap(({ buffer: name, distance }) => {
    const buffer = buffers.get(name);
    if (!buffer || buffer.memory === "register") return [];
    const lines = linesAhead({ loop, around }, buffer, distance);
    return lines.kind === "lines" ? hintsFor(name, lines) : [];
  });
}

/** Hints for a buffer, written out: there are few of them. */
const hintsFor = (buffer: string, { first, steps, writes }: LinesAhead & { readonly kind: "lines" }): readonly Stmt[] =>
  steps
    .reduce<readonly (readonly Expr[])[]>((starts, step) => starts.flatMap((start) => stepped(start, step)), [first])
    .map((indices) => prefetch({ name: buffer }, indices, writes));

const stepped = (start: readonly Expr[], { dim, elements, count }: LineStep): readonly (readonly Expr[])[] =>
  Array.from({ length: count }, (_, at) => start.with(dim, simplifyIndex(add(start[dim]!, constInt(at * elements)))));
