// Types of elements: how registers hold them, and how memory does. WGSL has no narrow scalars, so a register holds an integer as i32
// and a half as the f32 of the same value. Memory of the caller is packed as in typed arrays; all other memory has a word an element.

import { byteSize, type DType } from "../../expr/dtype.ts";
import type { Buffer, IrType } from "../../ir/loop-ir.ts";
import { product } from "../../support/integer-math.ts";
import { cannotRun } from "../cannot.ts";

export type ScalarType = "f32" | "i32" | "bool";

/** Type of a value in a register. */
export function scalarType(dtype: IrType): ScalarType {
  switch (dtype) {
    case "f32":
    case "f16":
    case "bf16":
      return "f32";
    case "i32":
    case "i16":
    case "i8":
    case "u8":
      return "i32";
    case "bool":
      return "bool";
    case "f64":
    case "i64":
      throw cannotRun("wgsl", `there is no ${dtype} in WGSL`, "compute in f32, or for another target");
  }
}

export const vectorOf = (type: string, lanes: number): string => (lanes === 1 ? type : `vec${lanes}<${type}>`);

export const valueType = (dtype: IrType, lanes: number): string => vectorOf(scalarType(dtype), lanes);

/** Bytes of a word: the least that a thread writes without touching its neighbours'. */
export const wordBytes = 4;

/** Most lanes of a vector of the language. */
export const mostLanes = 4;

export const isNarrow = (dtype: DType): boolean => byteSize[dtype] < wordBytes;

/** Whether several elements of the buffer share a word. */
export const isPacked = ({ memory, dtype }: Pick<Buffer, "memory" | "dtype">): boolean =>
  memory === "caller" && isNarrow(dtype);

/** Bytes of a buffer as it lies in the memory of the device. */
export function bytesOfBuffer(buffer: Buffer): number {
  const bytes = product(buffer.shape) * (isPacked(buffer) ? byteSize[buffer.dtype] : wordBytes);
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

/** Buffers end at a multiple of it, so that a vector of four reads none beyond its end. */
const blockBytes = 16;
