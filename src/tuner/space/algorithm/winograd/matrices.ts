// The matrices of Winograd's minimal filtering: F(m, 3) makes m results of a window of 3 from m + 2 products.
//
//   Y = Aᵀ [(G g) ⊙ (Bᵀ d)]
//
// The rows of G and Bᵀ, and the columns of Aᵀ, belong to points that a polynomial is evaluated at: 0, then pairs of a
// point and its negative, then ∞. One matrix may be multiplied by a factor if another is divided by it. The factors are
// chosen so that the first even power in each row of Bᵀ has factor 1.

export type Matrix = readonly (readonly number[])[];

export interface WinogradMatrices {
  /** m: results along each axis of a tile. */
  readonly results: number;
  /** Aᵀ: m × (m + 2) */
  readonly outputs: Matrix;
  /** G: (m + 2) × 3 */
  readonly filter: Matrix;
  /** Bᵀ: (m + 2) × (m + 2) */
  readonly image: Matrix;
}

/** Points 0, ±1, ∞. Lavin & Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016), §4.1. */
export const f23: WinogradMatrices = {
  results: 2,
  outputs: [
    [1, 1, 1, 0],
    [0, 1, -1, -1],
  ],
  filter: [
    [1, 0, 0],
    [1 / 2, 1 / 2, 1 / 2],
    [1 / 2, -1 / 2, 1 / 2],
    [0, 0, 1],
  ],
  image: [
    [1, 0, -1, 0],
    [0, 1, 1, 0],
    [0, -1, 1, 0],
    [0, 1, 0, -1],
  ],
};

const { SQRT2, SQRT1_2 } = Math;

/**
 * Points 0, ±√½, ±√2, ∞, which of all pairs ±p, ±q come within 1 % of the least rounding (`amplification` in rounding.ts):
 * 4.3 times that of F(2, 3), where Lavin & Gray's 0, ±1, ±2, ∞ have 19 times. These are the points of ncnn too; that points
 * of size near 1, and reciprocal pairs, are good is what Barabasz et al. found ("Error Analysis and Improving the Accuracy
 * of Winograd Convolution for Deep Neural Networks", TOMS 2020).
 *
 * No points make it exact: the thirds of G come from the differences of any five points. Multiplied by all denominators
 * the matrices are integers, for 0, ±1, ±2, but then its sums reach 1152² · channels, and beyond 12 channels not even
 * inputs of ±1 stay within the 24 bits of an f32.
 */
export const f43: WinogradMatrices = {
  results: 4,
  outputs: [
    [1, 1, 1, -1, -1, 0],
    [0, SQRT1_2, -SQRT1_2, -SQRT2, SQRT2, 0],
    [0, 1 / 2, 1 / 2, -2, -2, 0],
    [0, SQRT1_2 / 2, -SQRT1_2 / 2, -2 * SQRT2, 2 * SQRT2, 1],
  ],
  filter: [
    [1, 0, 0],
    [4 / 3, (2 * SQRT2) / 3, 2 / 3],
    [4 / 3, (-2 * SQRT2) / 3, 2 / 3],
    [1 / 12, SQRT2 / 12, 1 / 6],
    [1 / 12, -SQRT2 / 12, 1 / 6],
    [0, 0, 1],
  ],
  image: [
    [1, 0, -5 / 2, 0, 1, 0],
    [0, SQRT1_2, 1, -SQRT1_2 / 2, -1 / 2, 0],
    [0, -SQRT1_2, 1, SQRT1_2 / 2, -1 / 2, 0],
    [0, SQRT2, 1, -2 * SQRT2, -2, 0],
    [0, -SQRT2, 1, 2 * SQRT2, -2, 0],
    [0, 1, 0, -5 / 2, 0, 1],
  ],
};
