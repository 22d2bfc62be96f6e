// Regression that knows how sure it is: a Gaussian process with a Matérn-5/2 kernel of one length scale.
// Rows of features with values → mean and variance at other rows. For up to some 300 rows: n³/6 steps a length scale.

import { invariant } from "../../../compiler/index.ts";
import type { FeatureMatrix } from "../../cost-model/cost-model.ts";
import { steadyLog2 } from "../../support/steady.ts";
import { choleskyFactor, solveLower } from "./cholesky.ts";

export interface GaussianProcess {
  readonly posterior: (queries: FeatureMatrix) => Posterior;
}

/** Joint belief about some rows. */
export interface Posterior {
  readonly means: Float64Array;
  /** Variance at each row. `condition` shrinks them. */
  readonly variances: Float64Array;
  /** Conditions on query k as if it had been observed at its mean: no mean moves, near variances shrink. */
  readonly condition: (k: number) => void;
}

/** Length scales as shares of the largest distance that unit columns allow; the likelihood of the values chooses. */
const lengthScales = [0.05, 0.1, 0.2, 0.4, 0.8] as const;
/**
 * Variances of the noise, as shares of the variance of what is modelled. Times repeat within some per cent on a machine that
 * is idle otherwise, and within a tenth on a shared one. The likelihood of the values chooses here too.
 */
const noises = [1e-3, 1e-2, 0.05, 0.2] as const;

interface Fitted {
  readonly lengthScale: number;
  readonly noise: number;
  readonly factor: Float64Array;
  /** The factor's inverse times the values. */
  readonly whitened: Float64Array;
  readonly variance: number;
  readonly logLikelihood: number;
}

/**
 * Fits a process by Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), algorithm 2.1: mean and variance
 * in closed form, the length scale and the noise of the greatest likelihood. Columns should span about [0, 1].
 */
export function fitGaussianProcess(features: FeatureMatrix, values: ArrayLike<number>): GaussianProcess {
  invariant(features.rows > 0 && features.rows === values.length, "a value for each of at least one row");
  const mean = Array.from(values).reduce((sum, value) => sum + value, 0) / features.rows;
  const centred = Float64Array.from(values, (value) => value - mean);
  const diameter = Math.sqrt(Math.max(1, features.columns));
  const squares = squaredDistances(features, features);
  const fits = lengthScales.flatMap((scale) => {
    const correlations = squares.map((squared) => matern(squared, scale * diameter));
    return noises.map((noise) => ({ ...fitted(correlations, centred, noise), lengthScale: scale * diameter, noise }));
  });
  const best = fits.reduce((left, right) => (right.logLikelihood > left.logLikelihood ? right : left));
  return { posterior: (queries) => posterior(features, best, mean, queries) };
}

type Likelihood = Omit<Fitted, "lengthScale" | "noise">;

function fitted(correlations: Float64Array, values: Float64Array, noise: number): Likelihood {
  const rows = values.length;
  const covariances = correlations.slice();
  for (let i = 0; i < rows; i++) covariances[i * rows + i]! += noise;
  const factor = choleskyFactor(covariances, rows);
  const whitened = solveLower(factor, rows, values);
  const variance = Math.max(dot(whitened, whitened) / rows, 1e-12);
  let logLikelihood = (-rows / 2) * steadyLog2(variance);
  for (let i = 0; i < rows; i++) logLikelihood -= steadyLog2(factor[i * rows + i]!);
  return { factor, whitened, variance, logLikelihood };
}

function posterior(features: FeatureMatrix, fit: Fitted, mean: number, queries: FeatureMatrix): Posterior {
  const squares = squaredDistances(queries, features);
  const solved = Array.from({ length: queries.rows }, (_, q) => {
    const row = squares.subarray(q * features.rows, (q + 1) * features.rows);
    const correlations = row.map((squared) => matern(squared, fit.lengthScale));
    return solveLower(fit.factor, features.rows, correlations);
  });
  const means = Float64Array.from(solved, (row) => mean + dot(row, fit.whitened));
  const variances = Float64Array.from(solved, (row) => fit.variance * Math.max(0, 1 - dot(row, row)));
  /** Covariances of each row with those that were conditioned on, in their order. */
  const conditioned = solved.map((): number[] => []);
  const condition = (k: number): void => {
    const [chosen, before] = [solved[k]!, [...conditioned[k]!]];
    const pivot = Math.sqrt(Math.max(fit.noise, 1 + fit.noise - dot(chosen, chosen) - dot(before, before)));
    const toChosen = squaredDistances(queries, { ...queries, rows: 1, data: rowOf(queries, k) });
    for (const [q, row] of conditioned.entries()) {
      const known = dot(solved[q]!, chosen) + dot(row, before);
      const shared = (matern(toChosen[q]!, fit.lengthScale) - known) / pivot;
      row.push(shared);
      variances[q] = Math.max(0, variances[q]! - fit.variance * shared * shared);
    }
  };
  return { means, variances, condition };
}

const rowOf = ({ columns, data }: FeatureMatrix, at: number): Float64Array =>
  data.subarray(at * columns, (at + 1) * columns);

/** Returns the squared distances of each row on the left to each on the right, row-major. */
function squaredDistances(left: FeatureMatrix, right: FeatureMatrix): Float64Array {
  const squares = new Float64Array(left.rows * right.rows);
  const { columns } = left;
  for (let i = 0; i < left.rows; i++) {
    for (let j = 0; j < right.rows; j++) {
      let squared = 0;
      for (let c = 0; c < columns; c++) {
        const difference = left.data[i * columns + c]! - right.data[j * columns + c]!;
        squared += difference * difference;
      }
      squares[i * right.rows + j] = squared;
    }
  }
  return squares;
}

function matern(squaredDistance: number, lengthScale: number): number {
  const distance = Math.sqrt(5 * squaredDistance) / lengthScale;
  // Engines differ in the last of an exponential's 53 bits, not in the first 24.
  return (1 + distance + (distance * distance) / 3) * Math.fround(Math.exp(-distance));
}

function dot(left: ArrayLike<number>, right: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < right.length; k++) sum += left[k]! * right[k]!;
  return sum;
}
