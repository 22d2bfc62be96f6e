// Windows that slide over an image: how many there are, and reads that may lie outside of it.

import { type Expr, select } from "../expr/authoring.ts";

export interface Window {
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
}

/** Number of windows of `size` taps that fit into `extent` elements. */
export const windowCount = (extent: number, size: number, { stride, padding, dilation }: Window): number =>
  Math.floor((extent + 2 * padding - dilation * (size - 1) - 1) / stride) + 1;

/** Index of tap `tap` in window `at`; negative or beyond the extent in the padding. */
export const tapAt = (at: Expr<"i32">, tap: Expr<"i32">, { stride, padding, dilation }: Window): Expr<"i32"> => {
  const unpadded = times(at, stride).add(times(tap, dilation));
  return padding === 0 ? unpadded : unpadded.sub(padding);
};

const times = (index: Expr<"i32">, factor: number): Expr<"i32"> => (factor === 1 ? index : index.mul(factor));

export type Position = readonly [index: Expr<"i32">, extent: number];

/** The value where every index is inside its extent, else `outside`. */
export function inside(positions: readonly Position[], value: () => Expr, outside: number): Expr {
  const each = positions.map(([index, extent]) => index.ge(0).and(index.lt(extent)));
  return select(
    each.reduce((a, b) => a.and(b)),
    value(),
    outside,
  );
}

/** Value as `inside` gives it; without padding every index is inside its extent, and nothing is asked. */
export const padded = (padding: number, positions: readonly Position[], value: () => Expr, outside: number): Expr =>
  padding === 0 ? value() : inside(positions, value, outside);
