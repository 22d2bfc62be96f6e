// A constant of any IR type → its bytes, or the number to give to the WASM const instruction of its scalar type.

import type { IrType } from "../../ir/loop-ir.ts";
import { laneBytesOf } from "./value-type.ts";

/** Little-endian, laneBytesOf(dtype) many. */
export function constBytes(dtype: IrType, value: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(8));
  if (dtype === "f64") view.setFloat64(0, value, true);
  else if (dtype === "f32") view.setFloat32(0, value, true);
  else if (dtype === "i64") view.setBigInt64(0, BigInt(value), true);
  else view.setInt32(0, scalarConst(dtype, value), true);
  return [...new Uint8Array(view.buffer, 0, laneBytesOf(dtype))];
}

/** What `i32.const` and its siblings take: f16 and bf16 as their bits. */
export function scalarConst(dtype: IrType, value: number): number {
  if (dtype === "bf16") return bfloat16Bits(value);
  return dtype === "f16" ? halfBits(value) : value;
}

function float32Bits(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
}

function bfloat16Bits(value: number): number {
  const bits = float32Bits(value);
  if (Number.isNaN(value)) return (bits >>> 16) | 0x40;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** Round to nearest even, as IEEE 754 binary16: 10 bits of fraction, exponents −14 … 15. */
function halfBits(value: number): number {
  const sign = Object.is(Math.sign(value), -0) || value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const fraction = roundHalfEven(size / 2 ** (exponent - 10));
  // For a normal number the fraction holds the hidden bit, which adds the 1 that is missing in the exponent.
  return sign | ((exponent + 14) * 1024 + fraction);
}

function roundHalfEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}
