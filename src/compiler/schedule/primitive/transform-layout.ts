// Lay a buffer out anew, as an affine tiling of its dimensions: all that is written and read of it moves. An input, which
// is the caller's memory, is copied into the layout once, before everything else.
//
//   P[i, j] = …                       P[j floorDiv 8, i, j mod 8] = …
//   Q[i, j] = f(P[i, j])        →     Q[i, j] = f(P[j floorDiv 8, i, j mod 8])          layout [1/8] [0] [1%8]
//
// Dimensions that are cut into tiles are rounded up to whole ones; of an input what lies outside is filled with 0.

import { constInt } from "../../ir/build.ts";
import type { Block, Buffer, Expr, LoopFunc } from "../../ir/loop-ir.ts";
import { rangesOf } from "../../ir/ranges.ts";
import { simplifyExpr } from "../../ir/simplify.ts";
import { readersOf } from "../dataflow.ts";
import { layoutIndices, layoutProblem, layoutShape, printLayout } from "../layout.ts";
import { bufferNamed, isNameTaken, loopsIn, withBuffer } from "../nest.ts";
import type { DimRegion } from "../region.ts";
import { mapAccesses } from "../storage.ts";
import type { InstructionOf } from "../trace.ts";
import { packNest } from "./cache-read.ts";
import { bufferField, layoutField } from "./field.ts";
import { illegal, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const transformLayout = definePrimitive({
  kind: "transform-layout",
  fields: [bufferField, layoutField],
  role: "step",

  check(nest, { buffer: name, layout }) {
    const no = (code: ReasonOf<"transform-layout">, text: string) =>
      illegal(`transform-layout.${code}`, nest, [], text);
    const buffer = bufferNamed(nest, name);
    if (!buffer) return no("no-such-buffer", `there is no buffer ${name}`);
    if (buffer.role === "output") return no("output", `${name} is a result, laid out as the caller wants it`);
    if (isNameTaken(nest, laidOut(buffer))) return no("twice", `${name} is laid out already`);
    if (buffer.role === "input" && readersOf(nest, name).length === 0) return no("not-read", `${name} is not read`);
    const badLayout = layoutProblem(layout, buffer);
    return badLayout === null ? null : no("bad-layout", badLayout);
  },

  apply(nest, args) {
    const buffer = bufferNamed(nest, args.buffer)!;
    return buffer.role === "input" ? copied(nest, args, buffer) : moved(nest, args, buffer);
  },

  print: ({ buffer, layout }) => `transform-layout ${buffer} ${printLayout(layout)}`,
});

const laidOut = ({ name }: Buffer): string => `${name}.layout`;

type Args = InstructionOf<"transform-layout">;

function moved(nest: LoopFunc, { layout }: Args, { name, shape }: Buffer): LoopFunc {
  const after = mapAccesses(nest, name, (indices, block) => indicesIn(nest, layout, indices, block));
  const buffers = nest.buffers.map((buffer) =>
    buffer.name === name ? { ...buffer, shape: layoutShape(layout, shape) } : buffer,
  );
  return { ...after, buffers };
}

/** Indices in the new layout. Tiles that loops walk are told by their ranges; those of axes are left to the lowering. */
function indicesIn(nest: LoopFunc, layout: Args["layout"], indices: readonly Expr[], block: Block): readonly Expr[] {
  const ranges = rangesOf([...loopsIn(nest.body), ...block.axes]);
  return layoutIndices(layout, indices).map((index) => simplifyExpr(index, ranges));
}

function copied(nest: LoopFunc, { layout }: Args, buffer: Buffer): LoopFunc {
  const copy: Buffer = {
    name: laidOut(buffer),
    dtype: buffer.dtype,
    shape: layoutShape(layout, buffer.shape),
    role: "local",
    memory: "workspace",
  };
  const readers = mapAccesses(
    nest,
    buffer.name,
    (indices, block) => indicesIn(nest, layout, indices, block),
    copy.name,
  );
  const fill = packNest(buffer, copy, buffer.shape.map(wholeDim), layout, []);
  return withBuffer({ ...readers, body: { kind: "seq", body: [fill, readers.body] } }, copy);
}

const wholeDim = (extent: number): DimRegion => ({
  start: constInt(0),
  startAffine: { terms: [], constant: 0 },
  extent,
  step: 1,
});
