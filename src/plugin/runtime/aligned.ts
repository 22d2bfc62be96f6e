// Arrays in memory that starts on a page: vectors of what an addon reads lie in one cache line each.

import type { TypedArray } from "../../compiler/index.ts";
import type { Arrays } from "./implementation.ts";

type View = new (buffer: ArrayBuffer, start: number, length: number) => TypedArray;

interface Sized {
  readonly array: new (length: number) => TypedArray;
  readonly length: number;
}

/** Makes arrays on the memory of a WASM instance: it starts on a page, which nothing else in JavaScript promises, and cannot be detached. */
export function alignedArrays(list: readonly Sized[]): Arrays {
  let end = 0;
  const starts = list.map(({ array, length }) => {
    const start = end;
    const { BYTES_PER_ELEMENT } = array as unknown as { readonly BYTES_PER_ELEMENT: number };
    end += Math.ceil((length * BYTES_PER_ELEMENT) / 64) * 64;
    return start;
  });
  const { buffer } = new WebAssembly.Memory({ initial: Math.ceil(end / 65_536) });
  return list.map(({ array, length }, at) => new (array as unknown as View)(buffer, starts[at]!, length));
}
