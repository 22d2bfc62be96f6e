// Replaces a loop and those inside it by one instruction of the machine. The nest stays as it is, so that a tail or another target, which
// cannot use the instruction, runs the loops; the lowering puts it in their place. Loops are matched with those of the instruction by `match`.
//
//   tensorize C.j.1 with vpmaddwd.256
//     for C.j.1 in 0..8                                        for C.j.1 in 0..8 (tensorized vpmaddwd.256)
//       for C.k.1 in 0..2                                 →      for C.k.1 in 0..2
//         C.acc[j.1] += i32(A[i, k]) * i32(B.pack[…])              C.acc[j.1] += i32(A[i, k]) * i32(B.pack[…])

import type { Intrinsic } from "../../intrinsic/intrinsic.ts";
import { findIntrinsic } from "../../intrinsic/intrinsics.ts";
import { match } from "../../intrinsic/match.ts";
import type { Block, For, LoopFunc } from "../../ir/loop-ir.ts";
import { perfectNest } from "../../ir/perfect-nest.ts";
import { rangesOf } from "../../ir/ranges.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { bindAxes, findLoop, type LoopPlace } from "../nest.ts";
import { anyName, field, loopField } from "./field.ts";
import { illegal, noSuchLoop } from "./illegal.ts";
import { markLoop } from "./mark.ts";
import { definePrimitive } from "./primitive.ts";

export const tensorize = definePrimitive({
  kind: "tensorize",
  fields: [loopField, field("intrinsic", anyName)],
  role: "step",

  check(nest, { loop, intrinsic: name }, own) {
    const intrinsic = findIntrinsic(name, own);
    if (!intrinsic) return illegal("tensorize.no-such-intrinsic", nest, [], `there is no intrinsic ${name}`);
    const place = findLoop(nest, loop);
    if (!place) return noSuchLoop("tensorize.no-such-loop", nest, loop);
    const { mark } = place.loop;
    if (mark !== "serial" && mark !== "vectorized") {
      return illegal("tensorize.marked", nest, [loop], `${loop} is already ${mark}`);
    }
    return nestProblem(nest, place, intrinsic);
  },

  apply: (nest, { loop, intrinsic }) => markLoop(nest, loop, `tensorized ${intrinsic}`),
  print: ({ loop, intrinsic }) => `tensorize ${loop} with ${intrinsic}`,
});

function nestProblem(nest: LoopFunc, place: LoopPlace, intrinsic: Intrinsic): Diagnostic | null {
  const { name } = place.loop;
  const inner = perfectNest(place.loop);
  if (inner?.leaf.kind !== "block") {
    return illegal(
      "tensorize.several-statements",
      nest,
      [name],
      `${name} holds more than one block and the loops to it`,
    );
  }
  const { loops, leaf } = inner;
  const guilty = loops.map((loop) => loop.name);
  if (leaf.init) {
    const hint = "cache-write it, or decompose the reduction, outside of these loops first";
    return illegal("tensorize.initialises", nest, guilty, `${leaf.name} initialises its elements here`, hint);
  }
  const found = match(candidateOf(nest, place, loops, leaf), intrinsic);
  if (found.kind === "match") return null;
  const hint = found.what === "layout" ? "cache-read the operand with another layout" : null;
  const code = reasons[found.what];
  return illegal(`tensorize.${code}`, nest, guilty, found.why, hint);
}

const reasons = { value: "computation", loops: "extents", layout: "layout" } as const;

const candidateOf = (nest: LoopFunc, { around }: LoopPlace, loops: readonly For[], block: Block) => ({
  loops,
  buffer: block.buffer,
  indices: block.indices.map((index) => bindAxes(block, index)),
  value: bindAxes(block, block.value),
  buffers: new Map(nest.buffers.map((buffer) => [buffer.name, buffer])),
  ranges: rangesOf([...around, ...loops]),
});
