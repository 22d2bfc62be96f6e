// Finds how many elements of a buffer hold values. Storage may be longer than what is written to it (`storage-align`). A
// copy leaves the elements between rows out: no block stores to them, so a read of one cannot be replaced by its value.
//
//   P: f32[4, 80], written by  for i in 0..4, for j in 0..64: P[i, j] = …      →      [4, 64]

import { boundsOf } from "../ir/bounds.ts";
import { isParameter } from "../ir/buffer.ts";
import type { Buffer, LoopFunc } from "../ir/loop-ir.ts";
import { rangesOf } from "../ir/ranges.ts";
import { writersOf } from "./dataflow.ts";
import { loopsIn } from "./nest.ts";

/** Extents of what is written to a buffer; of a parameter, and where writers do not say, those of its storage. */
export function heldExtents(nest: LoopFunc, { name, shape, ...buffer }: Buffer): readonly number[] {
  const writers = writersOf(nest, name);
  if (isParameter(buffer) || writers.length === 0) return shape;
  const loops = loopsIn(nest.body);
  return shape.map((size, dim) => {
    const ends = writers.map(({ indices, axes }) => boundsOf(indices[dim]!, rangesOf([...loops, ...axes])).max + 1);
    return Math.min(size, Math.max(...ends));
  });
}
