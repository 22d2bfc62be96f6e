// Products with the matrices of Winograd's minimal filtering as sums with the zeros left out, along one axis. The row of
// the matrix is chosen by a small axis: `unroll-choices` unrolls it, and the choice is gone.
//
// The rows of a point and of its negative are the same but for signs: of the filter and the image, terms of even and of
// odd powers; in the outputs, what the two points make. Such parts of a sum are written in exactly the same way in all
// rows, times a factor, so that compilers compute them once:  2 d₀ + d₂ and √2 d₁, their sum and difference.

import { axisOf, binaryOf, f32Of, integerOf, type ScalarExpr, selectOf } from "../../../../compiler/index.ts";
import type { Matrix } from "./matrices.ts";

/** Columns of a matrix whose terms are added up first. */
type Parts = readonly (readonly number[])[];

/** Even and odd powers. */
export const byParity = (columns: number): Parts =>
  [0, 1].map((parity) => [...Array(columns).keys()].filter((at) => at % 2 === parity));

/** 0, the pairs, ∞. */
export const byPoint = (columns: number): Parts =>
  [...Array(columns / 2 + 1).keys()].map((at) => (at === 0 ? [0] : [2 * at - 1, 2 * at].filter((it) => it < columns)));

/** Element [row] of M · d. */
export const transformed = (
  matrix: Matrix,
  parts: Parts,
  row: ScalarExpr,
  element: (at: number) => ScalarExpr,
): ScalarExpr =>
  chosen(
    row,
    matrix.map((coefficients) => combination(coefficients, parts, element)),
  );

/** The one of the options that the index numbers. */
const chosen = (index: ScalarExpr, options: readonly ScalarExpr[]): ScalarExpr =>
  options
    .slice(0, -1)
    .reduceRight((rest, option, at) => selectOf(binaryOf("eq", index, integerOf(at)), option, rest), options.at(-1)!);

interface Scaled {
  readonly factor: number;
  readonly term: ScalarExpr;
}

/** Σ coefficient · term, part by part, each part times the coefficient of its first term. */
const combination = (coefficients: readonly number[], parts: Parts, term: (at: number) => ScalarExpr): ScalarExpr =>
  sumOf(
    parts.flatMap((part): readonly Scaled[] => {
      const terms = part.flatMap((at) => (coefficients[at] ? [{ factor: coefficients[at], term: term(at) }] : []));
      const factor = terms[0]?.factor;
      return factor ? [{ factor, term: sumOf(terms.map((it) => ({ ...it, factor: it.factor / factor }))) }] : [];
    }),
  );

/** Σ factor · term, begun with one that is added. A factor that all share is applied last. */
function sumOf(terms: readonly Scaled[]): ScalarExpr {
  const sizes = new Set(terms.map(({ factor }) => Math.abs(factor)));
  const shared = sizes.size === 1 ? [...sizes][0]! : 1;
  const first = terms.find(({ factor }) => factor > 0) ?? terms[0]!;
  const total = terms
    .filter((it) => it !== first)
    .reduce(
      (sum, { term, factor }) => binaryOf(factor > 0 ? "add" : "sub", sum, scaled(term, Math.abs(factor / shared))),
      scaled(first.term, first.factor / shared),
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
