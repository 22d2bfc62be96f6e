// The epilogues of the library on plain numbers.

import type { opLibrary } from "../../../src/compiler/index.ts";
import type { Values } from "./library-operator.ts";
import { plainErf } from "./plain-erf.ts";

const activations: Readonly<Record<opLibrary.Activation, (x: number) => number>> = {
  none: (x) => x,
  relu: (x) => Math.max(x, 0),
  gelu: (x) => (x / 2) * (1 + plainErf(x / Math.SQRT2)),
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  tanh: Math.tanh,
  silu: (x) => x / (1 + Math.exp(-x)),
};

/** `products` is the result without the epilogue, its last dimension the channels. */
export function plainEpilogue(
  products: readonly number[],
  channels: number,
  { scale, bias, residual }: Values,
  { activation = "none" }: opLibrary.Epilogue,
): number[] {
  return products.map((product, at) => {
    const channel = at % channels;
    const shifted = product * (scale?.[channel] ?? 1) + (bias?.[channel] ?? 0) + (residual?.[at] ?? 0);
    return activations[activation](shifted);
  });
}
