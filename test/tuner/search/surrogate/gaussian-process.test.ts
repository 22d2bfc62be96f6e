import { describe, expect, test } from "vitest";
import { matrixOf } from "../../../../src/tuner/cost-model/cost-model.ts";
import { choleskyFactor, solveLower } from "../../../../src/tuner/search/surrogate/cholesky.ts";
import { expectedImprovement } from "../../../../src/tuner/search/surrogate/expected-improvement.ts";
import { fitGaussianProcess } from "../../../../src/tuner/search/surrogate/gaussian-process.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";

const rng = createRng(3);
const row = (): number[] => [rng.unit(), rng.unit()];
const height = ([x, y]: readonly number[]): number => Math.sin(5 * x!) + (y! - 0.4) ** 2;

const rows = Array.from({ length: 40 }, row);
const values = rows.map(height);
const process = fitGaussianProcess(matrixOf(rows), values);

test("the factor times its transpose is the matrix, and solving undoes it", () => {
  const matrix = Float64Array.from([4, 0, 0, 2, 5, 0, 1, 3, 6]);
  const factor = choleskyFactor(matrix, 3);
  const entry = (i: number, j: number): number => factor[3 * i + j]!;
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j <= i; j++) {
      const product = [0, 1, 2].reduce((sum, k) => sum + entry(i, k) * entry(j, k), 0);
      expect(product).toBeCloseTo(matrix[3 * i + j]!, 12);
    }
  }
  const x = solveLower(factor, 3, [1, 2, 3]);
  expect([0, 1, 2].map((i) => [0, 1, 2].reduce((sum, k) => sum + entry(i, k) * x[k]!, 0))).toEqual(
    [1, 2, 3].map((value) => expect.closeTo(value, 12)),
  );
});

test("a matrix that is not positive definite is a bug", () => {
  expect(() => choleskyFactor(Float64Array.from([1, 0, 2, 1]), 2)).toThrow("positive definite");
});

describe("a Gaussian process", () => {
  test("goes through what it was fitted to, and is sure there", () => {
    const { means, variances } = process.posterior(matrixOf(rows));
    const spread = Math.sqrt(Math.max(...variances));
    for (const [k, value] of values.entries()) expect(Math.abs(means[k]! - value)).toBeLessThan(0.05);
    expect(spread).toBeLessThan(0.1);
  });

  test("predicts a smooth function between its points, within what it claims", () => {
    const others = Array.from({ length: 200 }, row);
    const { means, variances } = process.posterior(matrixOf(others));
    const errors = others.map((other, k) => Math.abs(means[k]! - height(other)));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.05);
    const inside = errors.filter((error, k) => error <= 3 * Math.sqrt(variances[k]!) + 1e-3).length;
    expect(inside / errors.length).toBeGreaterThan(0.95);
  });

  test("goes between values that a noisy clock gave, and is not sure there", () => {
    const noisy = values.map((value, k) => value + 0.2 * Math.sin(1e4 * k));
    const { means, variances } = fitGaussianProcess(matrixOf(rows), noisy).posterior(matrixOf(rows));
    const squares = (of: ArrayLike<number>): number => values.reduce((sum, value, k) => sum + (of[k]! - value) ** 2, 0);
    expect(squares(means)).toBeLessThan(squares(noisy) / 3);
    const spread = Math.max(...process.posterior(matrixOf(rows)).variances);
    expect(Math.min(...variances)).toBeGreaterThan(spread);
  });

  test("far from its points believes in the mean and is least sure", () => {
    const { means, variances } = process.posterior(matrixOf([[100, 100], rows[0]!]));
    expect(means[0]).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 6);
    expect(variances[0]! / variances[1]!).toBeGreaterThan(100);
  });

  test("conditioned on a query is as sure as one that saw its mean there", () => {
    const queries = matrixOf([
      [0.5, 1.3],
      [0.55, 1.25],
      [-1, 0.2],
    ]);
    const { means, variances, condition } = process.posterior(queries);
    const before = variances.slice();
    condition(0);
    expect([...process.posterior(queries).means]).toEqual([...means]);
    expect(variances[0]! / before[0]!).toBeLessThan(0.01);
    expect(variances[1]! / before[1]!).toBeLessThan(0.5);
    expect(variances[2]! / before[2]!).toBeGreaterThan(0.9);
    condition(2);
    expect(variances[2]! / before[2]!).toBeLessThan(0.01);
  });

  test("of equal values is sure of them everywhere", () => {
    const flat = fitGaussianProcess(matrixOf(rows.slice(0, 3)), [2, 2, 2]).posterior(matrixOf([[0.3, 0.3]]));
    expect(flat.means[0]).toBeCloseTo(2, 12);
    expect(flat.variances[0]).toBeLessThan(1e-9);
  });
});

describe("the expected improvement", () => {
  /** Mean of max(0, value − best) over the normal distribution, by the midpoint rule. */
  function integral(mean: number, variance: number, best: number): number {
    const [from, steps] = [-8, 20_000];
    const width = (2 * -from) / steps;
    return Array.from({ length: steps }, (_, k) => from + (k + 0.5) * width).reduce((sum, z) => {
      const gain = Math.max(0, mean + Math.sqrt(variance) * z - best);
      return sum + (gain * width * Math.exp(-(z ** 2) / 2)) / Math.sqrt(2 * Math.PI);
    }, 0);
  }

  test.each([
    [0.8, 0.04, 1],
    [1.2, 0.01, 1],
    [0.1, 0.09, 1],
    [1, 0.25, 1],
  ])("of mean %d and variance %d over %d is its integral", (mean, variance, best) => {
    expect(expectedImprovement(mean, variance, best)).toBeCloseTo(integral(mean, variance, best), 6);
  });

  test("of a value that is known is its gain", () => {
    expect(expectedImprovement(1.25, 0, 1)).toBeCloseTo(0.25, 12);
    expect(expectedImprovement(0.75, 0, 1)).toBe(0);
  });
});
