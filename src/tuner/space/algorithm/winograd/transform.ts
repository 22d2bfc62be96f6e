// The matrices of Winograd's minimal filtering, and their products as sums with the zeros left out. A result's row and
// column are chosen by small axes: `unroll-choices` unrolls these, and the choices are gone.

import { axisOf, binaryOf, f32Of, integerOf, type ScalarExpr, selectOf } from "../../../../compiler/index.ts";

export type Matrix = readonly (readonly number[])[];

/** F(m, 3): m results of a window of 3 from m + 2 products, Y = Aᵀ [(G g) ⊙ (Bᵀ d)]. */
export interface WinogradMatrices {
  /** m: results along each axis of a tile. */
  readonly results: number;
  /** m × (m + 2) */
  readonly outputs: Matrix;
  /** (m + 2) × 3 */
  readonly filter: Matrix;
  /** (m + 2) × (m + 2) */
  readonly image: Matrix;
}

/** Lavin & Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016), §4.1. */
export const f23: WinogradMatrices = {
  results: 2,
  outputs: [
    [1, 1, 1, 0],
    [0, 1, -1, -1],
  ],
  filter: [
    [1, 0, 0],
    [0.5, 0.5, 0.5],
    [0.5, -0.5, 0.5],
    [0, 0, 1],
  ],
  image: [
    [1, 0, -1, 0],
    [0, 1, 1, 0],
    [0, -1, 1, 0],
    [0, 1, 0, -1],
  ],
};

/**
 * Element [row, column] of M · D · Mᵀ, for index expressions: rows first, then columns, so that what the columns of one
 * row share is the same expression to the letter.
 */
export const sandwich = (
  matrix: Matrix,
  row: ScalarExpr,
  column: ScalarExpr,
  element: (row: number, column: number) => ScalarExpr,
): ScalarExpr =>
  chosen(
    column,
    matrix.map((columns) =>
      combination(columns, (j) =>
        chosen(
          row,
          matrix.map((rows) => combination(rows, (i) => element(i, j))),
        ),
      ),
    ),
  );

/** The one of the options that the index numbers. */
const chosen = (index: ScalarExpr, options: readonly ScalarExpr[]): ScalarExpr =>
  options
    .slice(0, -1)
    .reduceRight((rest, option, at) => selectOf(binaryOf("eq", index, integerOf(at)), option, rest), options.at(-1)!);

/** Σ coefficient · term without the zeros, begun with one that is added. A factor that all share is applied last. */
function combination(coefficients: readonly number[], term: (at: number) => ScalarExpr): ScalarExpr {
  const sizes = new Set(coefficients.filter((it) => it !== 0).map(Math.abs));
  const shared = sizes.size === 1 ? [...sizes][0]! : 1;
  const terms = coefficients.flatMap((it, at) => (it === 0 ? [] : [{ factor: it / shared, term: term(at) }]));
  const first = terms.find(({ factor }) => factor > 0)!;
  const total = terms
    .filter((it) => it !== first)
    .reduce(
      (sum, it) => binaryOf(it.factor > 0 ? "add" : "sub", sum, scaled(it.term, Math.abs(it.factor))),
      scaled(first.term, first.factor),
    );
  return scaled(total, shared);
}

const scaled = (term: ScalarExpr, factor: number): ScalarExpr =>
  factor === 1 ? term : binaryOf("mul", term, f32Of(factor));

/** `scale · axis + offset` */
export const affineOf = (axis: string, scale: number, offset: number): ScalarExpr => {
  const scaledAxis = scale === 1 ? axisOf(axis) : binaryOf("mul", axisOf(axis), integerOf(scale));
  return offset === 0 ? scaledAxis : binaryOf(offset > 0 ? "add" : "sub", scaledAxis, integerOf(Math.abs(offset)));
};
