// Steps of Winograd's algorithm beside those of the sum as it is written, to see whether it can pay at all. A step is a
// multiply-add or an addition.

import { type Convolution, windowSize } from "./convolution.ts";
import type { Matrix, WinogradMatrices } from "./matrices.ts";

/** Tiles along an axis of the result. */
export const tileCount = (extent: number, { results }: WinogradMatrices): number => Math.ceil(extent / results);

/**
 * Says whether Winograd's algorithm takes fewer steps, transforms included. It does not with few channels, few tiles,
 * or tiles that are mostly surplus.
 */
export function takesFewerSteps({ batch, y, x, c, f }: Convolution, matrices: WinogradMatrices): boolean {
  const images = batch.reduce((product, { extent }) => product * extent, 1);
  const tiles = images * tileCount(y.extent, matrices) * tileCount(x.extent, matrices);
  const points = matrices.results + windowSize - 1;
  const products = points ** 2 * tiles * c.extent * f.extent;
  const transforms =
    steps(matrices.image, points) * tiles * c.extent +
    steps(matrices.outputs, points) * tiles * f.extent +
    steps(matrices.filter, windowSize) * c.extent * f.extent;
  return products + transforms < windowSize ** 2 * images * y.extent * x.extent * c.extent * f.extent;
}

/** Steps of M · D · Mᵀ for a square D: all columns, then all rows of the result. */
const steps = (matrix: Matrix, size: number): number =>
  (size + matrix.length) * matrix.reduce((sum, row) => sum + row.filter((it) => it !== 0).length - 1, 0);
