// A row-major array with its dimensions in another order.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";

/** Dimension `d` of the result is dimension `order[d]` of the array: permuted(rows, [2, 3], [1, 0]) is the transpose. */
export function permuted(array: KernelArray, shape: readonly number[], order: readonly number[]): KernelArray {
  const result = array.slice();
  const strides = shape.map((_, dim) => shape.slice(dim + 1).reduce((product, extent) => product * extent, 1));
  const extents = order.map((dim) => shape[dim]!);
  const steps = order.map((dim) => strides[dim]!);
  let to = 0;
  const copy = (dim: number, from: number): void => {
    for (let at = 0; at < extents[dim]!; at++) {
      const place = from + at * steps[dim]!;
      if (dim + 1 < order.length) copy(dim + 1, place);
      else result[to++] = array[place]!;
    }
  };
  copy(0, 0);
  return result;
}
