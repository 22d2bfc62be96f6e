// Part of a buffer → the typed array over it that holds elements of a dtype.

import type { ArrayOf, DType } from "../../compiler/index.ts";

/** Makes a typed array over part of a buffer. Throws a RangeError if it does not fit. */
export function arrayAt(dtype: DType, buffer: ArrayBuffer, offset: number, length: number): ArrayOf<DType> {
  switch (dtype) {
    case "f64":
      return new Float64Array(buffer, offset, length);
    case "f32":
      return new Float32Array(buffer, offset, length);
    case "f16":
    case "bf16":
      return new Uint16Array(buffer, offset, length);
    case "i32":
      return new Int32Array(buffer, offset, length);
    case "i16":
      return new Int16Array(buffer, offset, length);
    case "i8":
      return new Int8Array(buffer, offset, length);
    case "u8":
    case "bool":
      return new Uint8Array(buffer, offset, length);
  }
}
