// Finds the buffer that carries values from one iteration of a loop to a later one. A sliding window does; a buffer
// that each iteration fills before it reads it does not.

import { type Affine, fromAffine } from "../ir/affine.ts";
import { sameExpr } from "../ir/expr-key.ts";
import type { Expr, For } from "../ir/loop-ir.ts";
import { loadsOf } from "./dataflow.ts";
import { bindAxes, blocksIn, loopsIn } from "./nest.ts";
import { boundingBox, type DimRegion } from "./region.ts";

/** The name of such a buffer; null: what the iterations read they have written themselves. In doubt the former. */
export function carriedBuffer(loop: For): string | null {
  const blocks = blocksIn(loop.body);
  if (blocks.length < 2) return null;
  const inside = loopsIn(loop.body);
  const written = [...new Set(blocks.map(({ buffer }) => buffer))];
  return written.find((buffer) => !isFilledFirst(buffer, loop, inside)) ?? null;
}

function isFilledFirst(buffer: string, loop: For, inside: readonly For[]): boolean {
  const blocks = blocksIn(loop.body);
  const bound = (block: (typeof blocks)[number], indices: readonly Expr[]): readonly Expr[] =>
    indices.map((index) => bindAxes(block, index));
  const others = blocks.filter((block) => block.buffer !== buffer);
  const reads = others.flatMap((block) => loadsOf(block, buffer).map((indices) => bound(block, indices)));
  if (reads.length === 0) return true;
  const writes = blocks.filter((block) => block.buffer === buffer).map((block) => bound(block, block.indices));
  const [read, filled] = [boundingBox(reads, inside), boundingBox(writes, inside)];
  return read !== null && filled !== null && read.every((dim, at) => holds(filled[at]!, dim));
}

const holds = (outer: DimRegion, inner: DimRegion): boolean => {
  const offset = inner.startAffine.constant - outer.startAffine.constant;
  return (
    sameExpr(variablePart(outer.startAffine), variablePart(inner.startAffine)) &&
    offset >= 0 &&
    offset % outer.step === 0 &&
    (inner.step % outer.step === 0 || inner.extent === 1) &&
    offset + inner.extent <= outer.extent
  );
};

const variablePart = ({ terms }: Affine): Expr => fromAffine({ terms, constant: 0 });
