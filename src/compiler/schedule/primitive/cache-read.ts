// Copy what the body of a loop reads of a buffer into a buffer of its own, in another layout, before the body: packing.
//
//   for C.k.0                                for C.k.0
//     for …                                    for B.pack.0, B.pack.1, B.pack.2: block B.pack
//       … B[C.k.0*256 + k, j*48 + l]    →        B.pack[o, k, l] = B[C.k.0*256 + k, o*48 + l]    layout [1/48] [0] [1%48]
//                                              for …
//                                                … B.pack[j, k, l]
//
// The layout lists the dimensions of the copy, outermost first; a dimension cut into tiles is rounded up to whole tiles,
// and what lies outside the operand is filled with 0. So a read that is guarded by "inside the operand, else 0", as
// padding is written, needs no guard any more.
//
// An operand that is read at two places, as in XᵀX, has a copy for each: `reads` says which of them the copy is for.

import { add, and, constInt, constOf, forLoop, ge, loadOf, lt, mul, select, seq, variable } from "../../ir/build.ts";
import { exprKey } from "../../ir/expr-key.ts";
import type { Block, Buffer, Expr, For, Load } from "../../ir/loop-ir.ts";
import { rangesOf } from "../../ir/ranges.ts";
import { readPattern } from "../../ir/read-pattern.ts";
import { simplifyExpr } from "../../ir/simplify.ts";
import { updateFor, updateLoad } from "../../ir/update.ts";
import { mapBlockExprs, mapExpr } from "../../ir/visit.ts";
import { loadsIn, mapLoads } from "../dataflow.ts";
import { heldExtents } from "../held-extents.ts";
import { layoutIndices, layoutProblem, layoutShape, printLayout } from "../layout.ts";
import {
  bindAxes,
  blocksIn,
  bufferNamed,
  findLoop,
  isNameTaken,
  type LoopPlace,
  loopsIn,
  mapBlocks,
  replaceLoop,
  withBuffer,
  wrapLoops,
} from "../nest.ts";
import { boundingBox, type DimRegion, fromStart } from "../region.ts";
import type { InstructionOf, LayoutDim } from "../trace.ts";
import { anyName, blockField, bufferField, field, layoutField, loopField, objectOf, optional } from "./field.ts";
import { illegal, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const cacheRead = definePrimitive({
  kind: "cache-read",
  fields: [
    bufferField,
    loopField,
    layoutField,
    optional(field("reads", objectOf([blockField, field("pattern", anyName), field("copy", anyName)]))),
  ],
  role: "step",

  check(nest, args) {
    const { buffer: name, loop, layout } = args;
    const no = (code: ReasonOf<"cache-read">, text: string) => illegal(`cache-read.${code}`, nest, [loop], text);
    const buffer = bufferNamed(nest, name);
    if (!buffer) return no("no-such-buffer", `there is no buffer ${name}`);
    const place = findLoop(nest, loop);
    if (!place) return noSuchLoop("cache-read.no-such-loop", nest, loop);
    if (isNameTaken(nest, copyOf(args))) return no("twice", `${copyOf(args)} is there already`);
    const inside = blocksIn(place.loop);
    if (inside.some((block) => block.buffer === name)) return no("written", `${name} is written under ${loop}`);
    const badLayout = layoutProblem(layout, buffer);
    if (badLayout) return no("bad-layout", badLayout);
    if (readsUnder(place.loop, args).length === 0) return no("not-read", `${name} is not read under ${loop}`);
    if (!regionRead(place, args)) return no("not-affine", `${name} is not read at affine indices under ${loop}`);
    return null;
  },

  apply(nest, args) {
    const buffer = bufferNamed(nest, args.buffer)!;
    const place = findLoop(nest, args.loop)!;
    const { loop, around } = place;
    const box = regionRead(place, args)!;
    const pack: Buffer = {
      name: copyOf(args),
      dtype: buffer.dtype,
      shape: layoutShape(args.layout, extentsOf(box)),
      role: "local",
      memory: "workspace",
    };
    const held: Buffer = { ...buffer, shape: heldExtents(nest, buffer) };
    const copy = packNest(held, pack, box, args.layout, [...around, loop]);
    const packed = replaceLoop(nest, args.loop, (it) => {
      const body = [copy, readPacked(it, args, held, pack, box, [...around, loop])];
      return updateFor(it, { body: { kind: "seq", body } });
    });
    return withBuffer(packed, pack);
  },

  print: ({ buffer, loop, layout, reads }) =>
    `cache-read ${reads ? `${buffer}[${reads.pattern}] of ${reads.block} as ${reads.copy}` : buffer} at ${loop} layout ${printLayout(layout)}`,
});

type Args = InstructionOf<"cache-read">;

const copyOf = ({ buffer, reads }: Args): string => reads?.copy ?? `${buffer}.pack`;

/** Says whether the copy replaces this read of a block. */
const isCopied = ({ buffer, reads }: Args, block: Block, { indices, ...load }: Load): boolean =>
  load.buffer === buffer && (!reads || (reads.block === block.name && reads.pattern === readPattern(indices)));

/** The indices of the reads that the copy is for, over the loops. */
const readsUnder = (loop: For, args: Args): readonly (readonly Expr[])[] =>
  blocksIn(loop).flatMap((block) =>
    loadsIn(block, args.buffer)
      .filter((load) => isCopied(args, block, load))
      .map(({ indices }) => indices.map((index) => bindAxes(block, index))),
  );

const extentsOf = (box: readonly DimRegion[]): number[] => box.map(({ extent }) => extent);

/** The region; where that of some read depends on loops around that of others, knowing these may show that they are the same. */
function regionRead({ loop, around }: LoopPlace, args: Args): DimRegion[] | null {
  const [reads, inside] = [readsUnder(loop, args), loopsIn(loop.body)];
  return boundingBox(reads, inside) ?? boundingBox(reads, inside, [...around, loop]);
}

/** The loops that fill the pack, and the block in them. The buffer's shape is what may be read of it. */
export function packNest(
  buffer: Buffer,
  pack: Buffer,
  box: readonly DimRegion[],
  layout: readonly LayoutDim<number>[],
  around: readonly For[],
) {
  const loops = pack.shape.map((extent, at) => forLoop(`${pack.name}.${at}`, extent, seq()));
  const axes = pack.shape.map((extent, at) => ({ name: `p${at}`, extent, role: "spatial" as const }));
  const ranges = rangesOf([...around, ...loops]);
  const source = box.map(({ start }, dim) => {
    const parts = layout.map((it, at): Expr | null => {
      if (it.dim !== dim) return null;
      const axis = variable(loops[at]!.name);
      return it.part === "outer" ? mul(axis, constInt(it.tile)) : axis;
    });
    const local = parts.filter((part) => part !== null).reduce(add);
    return simplifyExpr(add(start, local), ranges);
  });
  const element = loadOf(buffer, source);
  const inside = source.flatMap((index, dim) => insideBuffer(index, buffer.shape[dim]!));
  const condition = simplifyExpr(inside.reduce(and), ranges);
  const padding = constOf(buffer.dtype, 0);
  const isInside = condition.kind === "const" && condition.value !== 0;
  const isOutside = condition.kind === "const" && condition.value === 0;
  const value = isInside ? element : isOutside ? padding : select(condition, element, padding);
  const bindings = loops.map((loop) => variable(loop.name));
  const indices = axes.map((axis) => variable(axis.name));
  const block: Block = {
    kind: "block",
    name: pack.name,
    axes,
    bindings,
    buffer: pack.name,
    indices,
    init: null,
    value,
  };
  return wrapLoops(loops, block);
}

/** The loop's body with reads of the operand turned into reads of the pack. */
function readPacked(
  loop: For,
  args: Args,
  source: Buffer,
  pack: Buffer,
  box: readonly DimRegion[],
  around: readonly For[],
) {
  const { layout } = args;
  const inside = loopsIn(loop.body);
  const ranges = rangesOf([...around, ...inside]);
  const packedIndices = (block: Block, indices: readonly Expr[]): Expr[] => {
    const local = indices.map((index, dim) => fromStart(bindAxes(block, index), box[dim]!, inside));
    return layoutIndices(layout, local).map((index, at) =>
      layout[at]!.part === "whole" ? index : simplifyExpr(index, ranges),
    );
  };
  return mapBlocks(loop.body, (block) => {
    const unguarded = mapBlockExprs(block, (expr) => dropPaddingGuards(expr, block, source, args));
    return mapLoads(unguarded, source.name, (load) =>
      isCopied(args, block, load)
        ? updateLoad(load, { buffer: pack.name, indices: packedIndices(block, load.indices) })
        : load,
    );
  });
}

/**
 * select(inside the operand, operand[…], 0) → operand[…], which is about to become a read of the padded pack.
 * Conditions that the axes of the block guarantee need not be in the guard: an instance outside of the axes does not
 * run.
 */
function dropPaddingGuards(expr: Expr, block: Block, source: Buffer, args: Args): Expr {
  const ranges = rangesOf(block.axes);
  return mapExpr(expr, (node) => {
    if (node.kind !== "select" || node.else.kind !== "const" || node.else.value !== 0) return node;
    const load = withoutCasts(node.then);
    if (load.kind !== "load" || !isCopied(args, block, load)) return node;
    const bounds = load.indices.flatMap((index, dim) => insideBuffer(index, source.shape[dim]!));
    const wanted = bounds.map((it) => simplifyExpr(it, ranges)).filter((it) => it.kind !== "const");
    const guards = conjuncts(node.condition).map((it) => simplifyExpr(it, ranges));
    const keys = new Set(guards.filter((it) => it.kind !== "const").map(exprKey));
    const same = keys.size === wanted.length && wanted.every((it) => keys.has(exprKey(it)));
    return same ? node.then : node;
  });
}

/** Expression below its casts: a cast of 0 is 0. */
const withoutCasts = (expr: Expr): Expr => (expr.kind === "cast" ? withoutCasts(expr.operand) : expr);

const conjuncts = (condition: Expr): Expr[] =>
  condition.kind === "binary" && condition.op === "and"
    ? [...conjuncts(condition.left), ...conjuncts(condition.right)]
    : [condition];

const insideBuffer = (index: Expr, extent: number): Expr[] => [ge(index, constInt(0)), lt(index, constInt(extent))];
