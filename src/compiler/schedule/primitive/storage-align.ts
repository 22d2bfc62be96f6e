// Make the rows of an intermediate buffer longer than they need be, so that they begin k·factor + offset elements apart:
// rows a power of two apart share the sets of a cache, rows a multiple of a vector apart are aligned.
//
//   P: f32[4, 64]   storage-align dim 0, factor 64, offset 16   →   P: f32[4, 80]     P[i, j] is at i*80 + j
//
// The elements added are neither written nor read.

import { isParameter } from "../../ir/buffer.ts";
import type { Buffer } from "../../ir/loop-ir.ts";
import { product } from "../../support/integer-math.ts";
import { bufferNamed } from "../nest.ts";
import type { InstructionOf } from "../trace.ts";
import { bufferField, field, integerFrom } from "./field.ts";
import { illegal, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

type Args = InstructionOf<"storage-align">;

export const storageAlign = definePrimitive({
  kind: "storage-align",
  fields: [bufferField, field("dim", integerFrom(0)), field("factor", integerFrom(1)), field("offset", integerFrom(0))],
  role: "step",

  check(nest, args) {
    const { buffer: name, dim, factor, offset } = args;
    const no = (code: ReasonOf<"storage-align">, text: string) => illegal(`storage-align.${code}`, nest, [], text);
    const buffer = bufferNamed(nest, name);
    if (!buffer) return no("no-such-buffer", `there is no buffer ${name}`);
    if (isParameter(buffer)) return no("parameter", `${name} is the caller's memory`);
    if (!(Number.isInteger(dim) && dim >= 0 && dim < buffer.shape.length - 1)) {
      return no("no-stride", `dimension ${dim} of ${name} has no rows of which the length could be chosen`);
    }
    if (!(Number.isInteger(factor) && factor > 0 && Number.isInteger(offset) && offset >= 0 && offset < factor)) {
      return no("bad-factor", `a stride of k*${factor} + ${offset} is none: 0 <= offset < factor is wanted`);
    }
    if (alignedExtent(buffer, args) !== null) return null;
    return no("unreachable", `rows of ${inner(buffer, dim)} elements never make a stride of k*${factor} + ${offset}`);
  },

  apply(nest, args) {
    const align = (buffer: Buffer): Buffer => {
      const extent = alignedExtent(buffer, args)!;
      return { ...buffer, shape: buffer.shape.map((size, dim) => (dim === args.dim + 1 ? extent : size)) };
    };
    return { ...nest, buffers: nest.buffers.map((buffer) => (buffer.name === args.buffer ? align(buffer) : buffer)) };
  },

  print: ({ buffer, dim, factor, offset }) => `storage-align ${buffer} dim ${dim} to k*${factor} + ${offset}`,
});

/** Elements from one index of dimension dim + 1 to the next. */
const inner = ({ shape }: Buffer, dim: number): number => product(shape.slice(dim + 2));

/** The least extent of the dimension after `dim` that gives the stride; strides repeat after `factor` extents. */
function alignedExtent(buffer: Buffer, { dim, factor, offset }: Args): number | null {
  const size = inner(buffer, dim);
  const least = buffer.shape[dim + 1]!;
  for (let extent = least; extent < least + factor; extent++) if ((extent * size) % factor === offset) return extent;
  return null;
}
