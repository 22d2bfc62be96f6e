// Compute a producer where its consumers need it: under one of their loops, just the region that the body reads there.
// Its buffer shrinks to that region, without the elements that a stride leaves out.
//
//   for B.i in 0..96: B[i] = f(i)            for C.i.0 in 0..6
//   for C.i.0 in 0..6                          for B.i in 0..16: B[B.i] = f(C.i.0*16 + B.i)
//     for C.i.1 in 0..16                 →     for C.i.1 in 0..16
//       C[…] = g(B[C.i.0*16 + C.i.1])            C[…] = g(B[C.i.1])
//
// The producer must not have been scheduled yet: place first, tile then.

import { add, constInt, mul, variable } from "../../ir/build.ts";
import { loopName } from "../../ir/from-compute.ts";
import type { Block, Buffer, Expr, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { updateBlock, updateFor, updateLoad } from "../../ir/update.ts";
import { loadsUnder, mapLoads, readsFrom } from "../dataflow.ts";
import {
  type BlockPlace,
  bindAxes,
  blocksIn,
  bufferNamed,
  dropFrom,
  findBlock,
  findLoop,
  loopsIn,
  mapBlocks,
  replaceLoop,
  wrapLoops,
} from "../nest.ts";
import { boundingBox, countOf, type DimRegion, stepsFromStart } from "../region.ts";
import { blockField, loopField } from "./field.ts";
import { illegal, noSuchBlock, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const computeAt = definePrimitive({
  kind: "compute-at",
  fields: [blockField, loopField],
  role: "step",

  check(nest, { block: name, loop }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("compute-at.no-such-block", nest, name);
    const target = findLoop(nest, loop);
    if (!target) return noSuchLoop("compute-at.no-such-loop", nest, loop);
    const no = (code: ReasonOf<"compute-at">, text: string, hint: string | null = null) =>
      illegal(`compute-at.${code}`, nest, [loop], text, hint);
    const { block } = place;
    if (bufferNamed(nest, block.buffer)?.role === "output") return no("output", `${name} is a result of the kernel`);
    if (!isNaive(nest, place)) {
      return no("scheduled", `${name} has been scheduled already`, "place a producer first, then tile it");
    }
    const readers = blocksIn(nest.body).filter((it) => it !== block && readsFrom(it, block.buffer));
    const under = new Set(blocksIn(target.loop));
    const outside = readers.find((reader) => !under.has(reader));
    if (outside) return no("other-consumer", `${outside.name} reads ${block.buffer} outside ${loop}`);
    if (!regionRead(target.loop, target.around, block.buffer)) {
      return no("not-affine", `${block.buffer} is not read at affine indices under ${loop}`);
    }
    return null;
  },

  apply(nest, { block: name, loop }) {
    const { block } = findBlock(nest, name)!;
    const { loop: target, around } = findLoop(nest, loop)!;
    const outer = [...around, target];
    const box = regionRead(target, around, block.buffer)!;
    const moved = placedNest(block, findBlock(nest, name)!.around, box);
    const without: LoopFunc = { ...nest, body: dropNest(nest.body, loopName(name, block.axes[0]!.name)) };
    const placed = replaceLoop(without, loop, (it) => {
      const readers = mapBlocks(it.body, (reader) => rebase(reader, block.buffer, box, loopsIn(it.body), outer));
      return updateFor(it, { body: { kind: "seq", body: [moved, readers] } });
    });
    const shrink = (buffer: Buffer): Buffer =>
      buffer.name === block.buffer ? { ...buffer, shape: box.map(countOf) } : buffer;
    return { ...placed, buffers: placed.buffers.map(shrink) };
  },

  print: ({ block, loop }) => `compute-at ${block} at ${loop}`,
});

/**
 * Says whether a stage still has its first loops and indices, none of them marked, has nothing else under them, and is the only writer of its
 * buffer. A mark was checked where the loop was: it need not hold between the loops that the stage would move to.
 */
export function isNaive(nest: LoopFunc, { block, around }: BlockPlace): boolean {
  const loops = block.axes.map((axis) => loopName(block.name, axis.name));
  if (around.map((loop) => loop.name).join() !== loops.join()) return false;
  if (around.some(({ mark }) => mark !== "serial")) return false;
  if (blocksIn(around[0] ?? block).length > 1) return false;
  const spatial = block.axes.filter(({ role }) => role === "spatial").map(({ name }) => name);
  if (block.indices.map((index) => (index.kind === "var" ? index.name : "")).join() !== spatial.join()) return false;
  if (!block.indices.every((index, dim) => index.kind === "var" && index.name === block.axes[dim]!.name)) return false;
  return blocksIn(nest.body).every((other) => other === block || other.buffer !== block.buffer);
}

function regionRead(loop: For, around: readonly For[], buffer: string): DimRegion[] | null {
  const accesses = loadsUnder(loop, buffer);
  return accesses.length === 0 ? null : boundingBox(accesses, loopsIn(loop.body), [...around, loop]);
}

export const dropNest = (root: Stmt, outermost: string): Stmt =>
  dropFrom(root, (stmt) => stmt.kind === "for" && stmt.name === outermost);

/** The producer over the region: its spatial loops span it, its reduce loops stay whole. */
function placedNest(block: Block, around: readonly For[], box: readonly DimRegion[]): Stmt {
  const dimOf = (at: number): DimRegion | undefined => (block.axes[at]!.role === "spatial" ? box[at] : undefined);
  const loops = around.map((loop, at): For => {
    const dim = dimOf(at);
    return updateFor(loop, { extent: dim ? countOf(dim) : loop.extent });
  });
  const bindings = loops.map((loop, at): Expr => {
    const dim = dimOf(at);
    return dim ? add(dim.start, mul(variable(loop.name), constInt(dim.step))) : variable(loop.name);
  });
  const bound = updateBlock(block, { bindings });
  const indices = local(block.indices, bound, box, loops);
  return wrapLoops(loops, updateBlock(rebase(bound, block.buffer, box, loops), { indices }));
}

/** Indices into the shrunken buffer, over the loops around the block. */
export const local = (
  indices: readonly Expr[],
  block: Block,
  box: readonly DimRegion[],
  inside: readonly For[],
  around: readonly For[] = [],
): Expr[] => indices.map((index, dim) => stepsFromStart(bindAxes(block, index), box[dim]!, inside, around));

/** A block with its reads of the shrunken buffer moved to where the region now starts. */
export const rebase = (
  block: Block,
  buffer: string,
  box: readonly DimRegion[],
  inside: readonly For[],
  around: readonly For[] = [],
): Block =>
  mapLoads(block, buffer, (load) => updateLoad(load, { indices: local(load.indices, block, box, inside, around) }));
