// Rounding error of Winograd's algorithm, as a factor of the error of a direct sum.
//
// A rounding error is proportional to the value that is rounded. Products at point a (of one axis) have |G_a| |B_a|
// times the size of an input's product, where |row| is the root of the sum of its squares and inputs are of random
// signs; in result r they are multiplied by A_ra. The result itself is a sum of 3 such products an axis. So errors are,
// relative to the result,
//
//   √(Σ_a (A_ra |G_a| |B_a|)² / 3)   an axis, squared for both, in the worst row of Aᵀ,
//
// times those of a sum of as many terms as there are channels. With |row| the sum of absolute values this is the worst case
// of Barabasz et al. ("Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks", TOMS
// 2020, §3), which no input of a real network comes near.

import type { Matrix, WinogradMatrices } from "./matrices.ts";

/** Size of errors relative to the result: 1 for a sum of products, 1.7 for F(2, 3), 7.1 for F(4, 3). */
export function amplification({ outputs, filter, image }: WinogradMatrices): number {
  const products = filter.map((row, at) => squares(row) * squares(image[at]!));
  const results = outputs.map((row) => row.reduce((sum, it, at) => sum + it * it * products[at]!, 0));
  return Math.max(...results) / filter[0]!.length;
}

const squares = (row: readonly number[]): number => row.reduce((sum, it) => sum + it * it, 0);

/** Bound of a convolution's roundings in ulp of its largest result, as that of a sum is its length. */
export const winogradUlps = (matrices: WinogradMatrices, channels: number): number =>
  Math.ceil(amplification(matrices) * (channels + transformRoundings(matrices)));

/** Roundings that a value goes through in the three transforms, rows and columns of each. */
const transformRoundings = ({ outputs, filter, image }: WinogradMatrices): number =>
  2 * [outputs, filter, image].reduce((sum, matrix) => sum + roundingsIn(matrix), 0);

/** Additions; and where a coefficient is no power of two it is rounded, and its product. */
const roundingsIn = (matrix: Matrix): number =>
  Math.max(
    ...matrix.map((row) => {
      const sizes = row.filter((it) => it !== 0).map(Math.abs);
      return sizes.length - 1 + (sizes.every((size) => Number.isInteger(Math.log2(size))) ? 0 : 2);
    }),
  );
