// Cut a loop at given iterations into loops that follow one another.
//
//   for C.i in 0..61                 for C.i@0 in 0..60
//     for C.j                          for C.j@0: block C@0: C[C.i@0, C.j@0] = …
//       block C: C[i, j] = …     →   for C.i@1 in 0..1
//                                      for C.j@1: block C@1: C[C.i@1 + 60, C.j@1] = …
//
// The pieces count from 0, so that each can be scheduled on its own. Naming rule: piece p of the loop, and every loop and
// block in it, has its old name with @p behind it. Always legal on a loop without a mark: the same instances run in the
// same order. Of a reduction only the first piece initialises.

import { add, constInt, variable } from "../../ir/build.ts";
import type { Block, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { updateBlock, updateFor } from "../../ir/update.ts";
import { mapStmt } from "../../ir/visit.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { findLoop, loopsIn, reduceVars, replaceLoop, substituteInBlocks } from "../nest.ts";
import { field, integerFrom, listOf, loopField } from "./field.ts";
import { illegal, noSuchLoop } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const loopPartition = definePrimitive({
  kind: "loop-partition",
  fields: [loopField, field("at", listOf(integerFrom(1)))],
  role: "step",

  check(nest, { loop: name, at }) {
    const place = findLoop(nest, name);
    if (!place) return noSuchLoop("loop-partition.no-such-loop", nest, name);
    const { mark, extent } = place.loop;
    if (mark !== "serial") {
      return illegal("loop-partition.marked", nest, [name], `${name} is already ${mark}`, "cut first, mark then");
    }
    return checkPoints(nest, name, at, extent);
  },

  apply(nest, { loop: name, at }) {
    return replaceLoop(nest, name, (loop) => {
      const starts = [0, ...at];
      const ends = [...at, loop.extent];
      return {
        kind: "seq",
        body: starts.map((start, piece) => pieceOf(loop, { piece, start, extent: ends[piece]! - start })),
      };
    });
  },

  print: ({ loop, at }) => `loop-partition ${loop} at ${at.join(", ")}`,
});

function checkPoints(nest: LoopFunc, name: string, at: readonly number[], extent: number): Diagnostic | null {
  const ascending = at.every((point, index) => Number.isInteger(point) && point > (at[index - 1] ?? 0));
  if (at.length > 0 && ascending && at.at(-1)! < extent) return null;
  return illegal(
    "loop-partition.bad-points",
    nest,
    [name],
    `[${at.join(", ")}] are not ascending iterations of ${name} between 1 and ${extent - 1}`,
  );
}

interface Piece {
  readonly piece: number;
  readonly start: number;
  readonly extent: number;
}

function pieceOf(loop: For, { piece, start, extent }: Piece): For {
  const named = (name: string): string => `${name}@${piece}`;
  const inside = new Map(loopsIn(loop).map(({ name }) => [name, variable(named(name))]));
  const moved = new Map([...inside, [loop.name, add(variable(named(loop.name)), constInt(start))] as const]);
  const rename = (stmt: Stmt): Stmt => {
    if (stmt.kind === "for") return updateFor(stmt, { name: named(stmt.name) });
    return stmt.kind === "block" ? updateBlock(stmt, { name: named(stmt.name) }) : stmt;
  };
  const body = mapStmt(piece === 0 ? loop.body : withoutInits(loop.body, loop.name), rename);
  return updateFor(loop, { name: named(loop.name), extent, body: substituteInBlocks(body, moved) });
}

/** The statement without initial values: the first piece has initialised what the loop reduces. */
const withoutInits = (stmt: Stmt, loop: string): Stmt =>
  mapStmt(stmt, (each) => (each.kind === "block" ? withoutInit(each, loop) : each));

const withoutInit = (block: Block, loop: string): Block =>
  block.init && reduceVars(block).has(loop) ? updateBlock(block, { init: null }) : block;
