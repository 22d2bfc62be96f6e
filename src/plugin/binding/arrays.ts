// Element types → the typed arrays that callers pass.

import type { DType } from "../../compiler/index.ts";

/** f16 and bf16 travel as bit patterns, bool as bytes of 0 and 1. */
export const arrayOf: Readonly<Record<DType, string>> = {
  f64: "Float64Array",
  f32: "Float32Array",
  f16: "Uint16Array",
  bf16: "Uint16Array",
  i32: "Int32Array",
  i16: "Int16Array",
  i8: "Int8Array",
  u8: "Uint8Array",
  bool: "Uint8Array",
};
