// Give a pack two copies that alternate: while one is used, the next tile is packed into the other. The first tile is
// packed before the loop, the last iteration packs nothing: prologue, steady state, epilogue.
//
//   for C.k.0 in 0..6                     B.pack.first: B.pack[0, …] = B[0*8 + …]
//     B.pack[…] = B[C.k.0*8 + …]     →    for C.k.0 in 0..6
//     … B.pack[…] …                         B.pack[(C.k.0 + 1) mod 2, …] = B[(C.k.0 + 1)*8 + …]     if C.k.0 + 1 < 6
//                                           … B.pack[C.k.0 mod 2, …] …
//
// The condition is an axis of the block: the instance one after the last does not run. Worth its memory where copies run
// beside computing (CUDA); on a CPU the out-of-order core and prefetches do the same.

import { isParameter } from "../../ir/buffer.ts";
import { add, constInt, mod, variable } from "../../ir/build.ts";
import type { Block, Expr, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { simplifyExpr } from "../../ir/simplify.ts";
import { updateBlock, updateFor } from "../../ir/update.ts";
import { mapBlockExprs, substitute } from "../../ir/visit.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { carriedBuffer } from "../carried.ts";
import { readsFrom, writersOf } from "../dataflow.ts";
import { blocksIn, bufferNamed, editStmt, findBlock, mapBlocks, replaceLoop } from "../nest.ts";
import { accessors, mapAccesses } from "../storage.ts";
import { bufferField } from "./field.ts";
import { illegal, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const doubleBuffer = definePrimitive({
  kind: "double-buffer",
  fields: [bufferField],
  role: "step",

  check(nest, { buffer: name }) {
    const no = (code: ReasonOf<"double-buffer">, text: string, loops: readonly string[] = []) =>
      illegal(`double-buffer.${code}`, nest, loops, text);
    const buffer = bufferNamed(nest, name);
    if (!buffer) return no("no-such-buffer", `there is no buffer ${name}`);
    if (isParameter(buffer)) return no("parameter", `${name} is the caller's memory`);
    const place = packPlace(nest, name);
    if (!place) return no("no-pack", `${name} is not filled by one copy at the beginning of a loop's body`);
    return checkLoop(nest, name, place);
  },

  apply(nest, { buffer: name }) {
    const { loop, fill } = packPlace(nest, name)!;
    const at = variable(loop.name);
    const ahead = withSlot(shifted(fill, loop, add(at, constInt(1))), slotOf(add(at, constInt(1))), loop);
    const first = renamed(withSlot(shifted(fill, loop, constInt(0)), constInt(0), null), fill);
    const inSlots = mapAccesses(nest, name, (indices) => [slotOf(at), ...indices]);
    const twice = replaceLoop(inSlots, loop.name, (it) => ({
      kind: "seq",
      body: [first, editStmt(it, (stmt) => (stmt.kind === "for" && stmt.name === fill.name ? ahead : null))],
    }));
    const buffers = nest.buffers.map((each) => (each.name === name ? { ...each, shape: [2, ...each.shape] } : each));
    return { ...twice, buffers };
  },

  print: ({ buffer }) => `double-buffer ${buffer}`,
});

const slotOf = (iteration: Expr): Expr => mod(iteration, constInt(2));

interface PackPlace {
  readonly loop: For;
  /** The loops that fill the buffer, the first thing in the loop's body. */
  readonly fill: For;
  readonly block: Block;
}

function packPlace(nest: LoopFunc, buffer: string): PackPlace | null {
  const [block, ...others] = writersOf(nest, buffer);
  if (!block || others.length > 0 || block.init || block.axes.some(({ role }) => role === "reduce")) return null;
  const { around } = findBlock(nest, block.name)!;
  const loop = around.findLast(({ body }) => body.kind === "seq");
  const fill = loop && around[around.indexOf(loop) + 1];
  if (!loop || !fill || loop.body.kind !== "seq" || loop.body.body[0] !== fill) return null;
  return blocksIn(fill).length === 1 ? { loop, fill, block } : null;
}

function checkLoop(nest: LoopFunc, name: string, { loop, block }: PackPlace): Diagnostic | null {
  const no = (code: ReasonOf<"double-buffer">, text: string) =>
    illegal(`double-buffer.${code}`, nest, [loop.name], text);
  if (loop.mark !== "serial") return no("marked", `${loop.name} is ${loop.mark}, no iteration is the next one`);
  if (loop.extent < 2) return no("one-iteration", `${loop.name} has one iteration, there is no next tile`);
  const under = blocksIn(loop);
  const outside = accessors(nest, name).find((each) => !under.includes(each));
  if (outside) return no("outside", `${outside.name} reads ${name} outside ${loop.name}`);
  const carried = carriedBuffer(loop);
  if (carried === name) return no("carried", `iterations of ${loop.name} read what earlier ones have put into ${name}`);
  const local = under.find((each) => readsFrom(block, each.buffer));
  return local
    ? no("local-operand", `${block.name} reads ${local.buffer}, which is written under ${loop.name} too`)
    : null;
}

/** The statement that fills the buffer, for another iteration of the loop. */
const shifted = (fill: For, loop: For, iteration: Expr): Stmt =>
  mapBlocks(fill, (block) => mapBlockExprs(block, (expr) => tidy(substitute(expr, new Map([[loop.name, iteration]])))));

const tidy = (expr: Expr): Expr => simplifyExpr(expr);

/** Turns a fill to one of the two copies. With `loop`, it runs only while the loop has a next iteration. */
const withSlot = (fill: Stmt, slot: Expr, loop: For | null): Stmt =>
  mapBlocks(fill, (block) =>
    updateBlock(block, {
      axes: loop ? [{ name: "next", extent: loop.extent, role: "spatial" }, ...block.axes] : block.axes,
      bindings: loop ? [add(variable(loop.name), constInt(1)), ...block.bindings] : block.bindings,
      indices: [slot, ...block.indices],
    }),
  );

/** Gives the copy names of its own: loops and the block `B.pack…` are called `B.pack.first…`. */
function renamed(stmt: Stmt, fill: For): Stmt {
  const block = blocksIn(fill)[0]!.name;
  const named = (name: string): string => name.replace(block, `${block}.first`);
  const rename = (each: Stmt): Stmt | null => {
    if (each.kind === "for") return updateFor(each, { name: named(each.name), body: editStmt(each.body, rename) });
    if (each.kind !== "block") return null;
    const names = new Map<string, Expr>();
    for (const name of loopNames(fill)) names.set(name, variable(named(name)));
    const moved = mapBlockExprs(each, (expr) => substitute(expr, names));
    return updateBlock(moved, { name: named(each.name) });
  };
  return editStmt(stmt, rename);
}

const loopNames = (loop: For): readonly string[] => [
  loop.name,
  ...(loop.body.kind === "for" ? loopNames(loop.body) : []),
];
