// Gather what the body of a loop adds up into a buffer of its own, and write it back after the body.
//
//   for C.i.0                           for C.i.0
//     for C.k                             for C.i.1.init: block C.init:  C.acc[C.i.1] = 0
//       for C.i.1                   →     for C.k
//         C[i] += …  init 0                 for C.i.1:  C.acc[C.i.1] += …
//                                         for C.i.1.store: block C.store: C[i] = C.acc[C.i.1]
//
// Where a reduce loop stays outside, the accumulators start from the element itself in all but its first iteration. The
// copied loops keep their marks, so mark first and cache then.

import { localBuffer } from "../../ir/buffer.ts";
import { and, constInt, eq, loadOf, select, variable } from "../../ir/build.ts";
import type { Block, Buffer, Expr, For, LoopFunc } from "../../ir/loop-ir.ts";
import { updateBinary, updateBlock, updateFor, updateLoad } from "../../ir/update.ts";
import { invariant } from "../../support/invariant.ts";
import {
  bindAxes,
  blocksIn,
  bufferNamed,
  findBlock,
  isNameTaken,
  mapBlocks,
  reduceVars,
  replaceLoop,
  withBuffer,
  wrapLoops,
} from "../nest.ts";
import { repeatingVars } from "../recompute.ts";
import { boundingBox, fromStart } from "../region.ts";
import { copySpatialLoops } from "../spatial-copy.ts";
import { loopsFrom } from "./decompose-reduction.ts";
import { blockField, loopField, scopeField, withPreset } from "./field.ts";
import { illegal, noSuchBlock, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { localMemory } from "./local-memory.ts";
import { definePrimitive } from "./primitive.ts";

export const cacheWrite = definePrimitive({
  kind: "cache-write",
  fields: [blockField, loopField, withPreset(scopeField, "register")],
  role: "step",

  check(nest, { block: name, loop, scope }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("cache-write.no-such-block", nest, name);
    const cut = loopsFrom(nest, name, loop);
    if (!cut) return noSuchLoop("cache-write.no-such-loop", nest, loop);
    const no = (code: ReasonOf<"cache-write">, text: string) => illegal(`cache-write.${code}`, nest, [loop], text);
    if (scope === "input" || scope === "output") return no("parameter", "a cache cannot be a parameter");
    if (isNameTaken(nest, `${name}.acc`)) return no("twice", `${name} has its accumulators already`);
    if (!place.block.init) return no("no-init", `${name} is no reduction that initialises its elements`);
    const { value } = place.block;
    if (value.kind !== "binary" || value.left.kind !== "load") {
      return no("converted", `${name} keeps its elements in another type than it computes in`);
    }
    if (blocksIn(cut.inside[0]!).length > 1) return no("several-blocks", `${loop} holds other blocks than ${name}`);
    const repeating = repeatingVars(place.block);
    const again = cut.inside.slice(1).find((inner) => repeating.has(inner.name));
    if (again) return no("recomputes", `${again.name} comes back to elements of ${name}, whose sums would go on`);
    if (!plan(nest, name, loop)) return no("not-affine", `${name} is not written at affine indices under ${loop}`);
    return null;
  },

  apply(nest, { block: name, loop, scope }) {
    const { block, inside, copies, accIndices, shape } = plan(nest, name, loop)!;
    const { dtype } = bufferNamed(nest, block.buffer)!;
    const acc = localBuffer({ name: `${name}.acc`, dtype, shape }, localMemory(scope));
    const { init, store } = copies;
    const initBlock = updateBlock(block, {
      name: `${name}.init`,
      axes: init.axes,
      bindings: init.bindings,
      buffer: acc.name,
      indices: accIndices.map(init.rename),
      init: null,
      value: startValue(nest, block, loop, acc.dtype, block.indices.map(init.rename)),
    });
    const storeBlock = updateBlock(block, {
      name: `${name}.store`,
      axes: store.axes,
      bindings: store.bindings,
      indices: block.indices.map(store.rename),
      init: null,
      value: loadOf(acc, accIndices.map(store.rename)),
    });
    const body = [
      wrapLoops(init.loops, initBlock),
      mapBlocks(inside[0]!.body, (it) => redirect(it, acc.name, accIndices)),
      wrapLoops(store.loops, storeBlock),
    ];
    const staged = replaceLoop(nest, loop, (outer) => updateFor(outer, { body: { kind: "seq", body } }));
    return withBuffer(staged, acc);
  },

  print: ({ block, loop, scope }) => `cache-write ${block} ${scope} at ${loop}`,
});

function plan(nest: LoopFunc, name: string, loop: string) {
  const { block } = findBlock(nest, name)!;
  const { inside } = loopsFrom(nest, name, loop)!;
  const below = inside.slice(1);
  const written = block.indices.map((index) => bindAxes(block, index));
  const box = boundingBox([written], below);
  const init = copySpatialLoops(nest, block, below, "init");
  const store = copySpatialLoops(nest, block, below, "store");
  if (!box) return null;
  const accIndices = written.map((index, dim) => fromStart(index, box[dim]!, below));
  return { block, inside, copies: { init, store }, accIndices, shape: box.map((dim) => dim.extent) };
}

/** Value that the accumulators start with: the identity, or the element as the reduce loops outside have left it. */
function startValue(
  nest: LoopFunc,
  block: Block,
  loop: string,
  dtype: Buffer["dtype"],
  indices: readonly Expr[],
): Expr {
  const reducing = reduceVars(block);
  const { outside, inside } = loopsFrom(nest, block.name, loop)!;
  const outer = [...outside, inside[0]!].filter((around: For) => reducing.has(around.name) && around.extent > 1);
  if (outer.length === 0) return block.init!;
  const isFirst = outer.map(({ name }) => eq(variable(name), constInt(0))).reduce(and);
  return select(isFirst, block.init!, loadOf({ name: block.buffer, dtype }, indices));
}

/** The block with its own buffer exchanged for the accumulators. */
function redirect(block: Block, acc: string, indices: readonly Expr[]): Block {
  invariant(block.value.kind === "binary" && block.value.left.kind === "load", "a reduction updates its own element");
  const left = updateLoad(block.value.left, { buffer: acc, indices });
  return updateBlock(block, { buffer: acc, indices, init: null, value: updateBinary(block.value, { left }) });
}
