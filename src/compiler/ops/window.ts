// Windows that slide over an image: how many there are, and reads that may lie outside of it.

import { type Expr, select } from "../expr/authoring.ts";

export interface Window {
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
}

/** How many windows of `size` taps fit into `extent`. */
export const windowCount = (extent: number, size: number, { stride, padding, dilation }: Window): number =>
  Math.floor((extent + 2 * padding - dilation * (size - 1) - 1) / stride) + 1;

/** The value where every index is inside its extent, else `outside`; without padding there is nothing to ask. */
export function padded(
  padding: number,
  indices: readonly (readonly [index: Expr<"i32">, extent: number])[],
  value: () => Expr,
  outside: number,
): Expr {
  if (padding === 0) return value();
  const inside = indices.map(([index, extent]) => index.ge(0).and(index.lt(extent)));
  const all = inside.reduce((a, b) => a.and(b));
  return select(all, value(), outside);
}
