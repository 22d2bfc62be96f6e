// Finds the element of its stage that the storage of an intermediate buffer begins with, and moves the accesses when it
// is to begin elsewhere. `compute-at` leaves a buffer that holds the region of one iteration, so its element 0 is a
// different element of the stage in each iteration. The axes of the blocks that write the buffer tell which.
//
//   block P (i = Q.i.0*4 + P.i): P[P.i] = …      →      P begins at Q.i.0*4

import { type Affine, addAffine, fromAffine, toAffine } from "../ir/affine.ts";
import { sameExpr } from "../ir/expr-key.ts";
import type { Block, Expr, LoopFunc } from "../ir/loop-ir.ts";
import { updateBlock, updateLoad } from "../ir/update.ts";
import { mapLoads, readsFrom } from "./dataflow.ts";
import { bindAxes, blocksIn, mapBlocks } from "./nest.ts";

export interface DimStorage {
  /** The stage's element that is at index 0, over loops around all accesses. */
  readonly start: Affine;
  /** Elements of the stage from one index to the next. */
  readonly step: number;
}

export const isAccessed = (block: Block, buffer: string): boolean =>
  block.buffer === buffer || readsFrom(block, buffer);

export const accessors = (nest: LoopFunc, buffer: string): readonly Block[] =>
  blocksIn(nest.body).filter((block) => isAccessed(block, buffer));

/** Storage of each dimension; null if the blocks that write the buffer do not say. */
export function storageOf(nest: LoopFunc, buffer: string): readonly DimStorage[] | null {
  const writers = blocksIn(nest.body).filter((block) => block.buffer === buffer);
  const all = writers.map(storageSeenBy);
  const [first] = all;
  return first && all.every((each) => each !== null && sameStorage(each, first)) ? first : null;
}

function storageSeenBy(block: Block): readonly DimStorage[] | null {
  const spatial = block.axes.flatMap((axis, at) => (axis.role === "spatial" ? [at] : []));
  if (spatial.length !== block.indices.length) return null;
  const dims = spatial.map((at, dim) => {
    const element = toAffine(block.bindings[at]!);
    const index = toAffine(bindAxes(block, block.indices[dim]!));
    const step = stepBetween(element, index);
    return step === null ? null : { start: addAffine(element, index, -step), step };
  });
  return dims.every((dim) => dim !== null) ? dims : null;
}

/** Ratio by which the element moves faster than the index; null: it is no whole number, or not positive. */
function stepBetween(element: Affine, index: Affine): number | null {
  const [moved] = index.terms;
  if (!moved) return 1;
  const term = element.terms.find(({ atom }) => sameExpr(atom, moved.atom));
  const step = (term?.coefficient ?? 0) / moved.coefficient;
  return Number.isInteger(step) && step > 0 ? step : null;
}

const sameStorage = (a: readonly DimStorage[], b: readonly DimStorage[]): boolean =>
  a.length === b.length &&
  a.every(({ start, step }, dim) => step === b[dim]!.step && sameExpr(fromAffine(start), fromAffine(b[dim]!.start)));

/** The nest with all accesses to the buffer rewritten, and perhaps turned into accesses to another. */
export const mapAccesses = (
  nest: LoopFunc,
  buffer: string,
  by: (indices: readonly Expr[], block: Block) => readonly Expr[],
  name: string = buffer,
): LoopFunc => ({
  ...nest,
  body: mapBlocks(nest.body, (block) => {
    const moved = mapLoads(block, buffer, (load) =>
      updateLoad(load, { buffer: name, indices: by(load.indices, block) }),
    );
    return block.buffer === buffer ? updateBlock(moved, { buffer: name, indices: by(moved.indices, block) }) : moved;
  }),
});
