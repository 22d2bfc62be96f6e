// Assigns each buffer its place in the module's memory: parameters first, in calling order, then all others.

import { byteSize, type DType } from "../../expr/dtype.ts";
import { isParameter } from "../../ir/buffer.ts";
import type { Buffer } from "../../ir/loop-ir.ts";
import { product } from "../../support/integer-math.ts";
import { invariant } from "../../support/invariant.ts";

export interface PlacedBuffer {
  readonly dtype: DType;
  /** Byte address of the first element, a multiple of 64. */
  readonly offset: number;
  readonly length: number;
  /** Elements from one thread's copy to the next; 0: there is one buffer for all. */
  readonly slotLength: number;
}

export interface MemoryLayout {
  readonly buffers: ReadonlyMap<string, PlacedBuffer>;
  /** Number of pages, of 64 KiB each. */
  readonly pages: number;
}

/** Bytes that buffers are aligned to: a cache line, so that no vector of an aligned row crosses one. */
const alignment = 64;
const pageBytes = 65536;
/** Most pages of a memory: V8 maps at most 4 GiB. */
const maxPages = 65536;

/** @param own buffers of which each of `threads` has a copy */
export function layOutMemory(
  buffers: readonly Buffer[],
  own: ReadonlySet<string> = new Set(),
  threads = 1,
): MemoryLayout {
  const placed = new Map<string, PlacedBuffer>();
  let end = 0;
  for (const buffer of [...buffers.filter(isParameter), ...buffers.filter((each) => !isParameter(each))]) {
    const { name, dtype, shape } = buffer;
    const length = product(shape);
    const bytes = Math.ceil((length * byteSize[dtype]) / alignment) * alignment;
    const isOwn = own.has(name);
    placed.set(name, { dtype, offset: end, length, slotLength: isOwn ? bytes / byteSize[dtype] : 0 });
    end += isOwn ? bytes * threads : bytes;
  }
  const pages = Math.max(1, Math.ceil(end / pageBytes));
  invariant(pages <= maxPages, `the buffers take ${end} bytes, more than a WASM memory has`);
  return { buffers: placed, pages };
}
