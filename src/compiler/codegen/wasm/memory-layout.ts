// Where each buffer lives in the module's memory: parameters first, in calling order, then everything else.

import { byteSize, type DType } from "../../expr/dtype.ts";
import type { Buffer } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";

export interface PlacedBuffer {
  readonly dtype: DType;
  /** Byte address of the first element, a multiple of 64. */
  readonly offset: number;
  readonly length: number;
}

export interface MemoryLayout {
  readonly buffers: ReadonlyMap<string, PlacedBuffer>;
  /** Pages of 64 KiB. */
  readonly pages: number;
}

/** A cache line, so that no vector of an aligned row crosses one. */
const alignment = 64;
const pageBytes = 65536;
/** V8 maps at most 4 GiB. */
const maxPages = 65536;

export const isParameter = ({ scope }: Buffer): boolean => scope === "input" || scope === "output";

export function layOutMemory(buffers: readonly Buffer[]): MemoryLayout {
  const placed = new Map<string, PlacedBuffer>();
  let end = 0;
  for (const buffer of [...buffers.filter(isParameter), ...buffers.filter((each) => !isParameter(each))]) {
    const length = buffer.shape.reduce((product, extent) => product * extent, 1);
    placed.set(buffer.name, { dtype: buffer.dtype, offset: end, length });
    end = Math.ceil((end + length * byteSize[buffer.dtype]) / alignment) * alignment;
  }
  const pages = Math.max(1, Math.ceil(end / pageBytes));
  invariant(pages <= maxPages, `the buffers take ${end} bytes, more than a WASM memory has`);
  return { buffers: placed, pages };
}
