// `unplugin-kernel/halves`: numbers ↔ what kernels take and give for f16 and bf16. Runs in every engine.

import { fromBf16Bits, fromF16Bits, toBf16Bits, toF16Bits } from "./float16.ts";
import type { Halves, OwnHalves } from "./kernel-type.ts";

type HalfArray = new (values: ArrayLike<number>) => OwnHalves;

/**
 * Numbers of a tensor of f16, whether the engine has `Float16Array` or not. Exact.
 *
 *     const probabilities = fromF16(softmax(logits));
 */
export const fromF16 = (halves: Halves): Float32Array<ArrayBuffer> =>
  halves instanceof Uint16Array
    ? Float32Array.from(halves, fromF16Bits)
    : Float32Array.from(halves as ArrayLike<number>);

/** An array for a tensor of f16. Each number is taken as f32 and rounded to the nearest half, ties to even. */
export function toF16(values: ArrayLike<number>): OwnHalves {
  const { Float16Array: Half } = globalThis as { readonly Float16Array?: HalfArray };
  return Half ? new Half(Float32Array.from(values)) : Uint16Array.from(values, toF16Bits);
}

/** Converts the elements of a tensor of bf16 to numbers, exactly. */
export const fromBf16 = (bits: Uint16Array): Float32Array<ArrayBuffer> => Float32Array.from(bits, fromBf16Bits);

/** An array for a tensor of bf16. Each number is taken as f32 and rounded to the nearest bf16, ties to even. */
export const toBf16 = (values: ArrayLike<number>): Uint16Array<ArrayBuffer> => Uint16Array.from(values, toBf16Bits);
