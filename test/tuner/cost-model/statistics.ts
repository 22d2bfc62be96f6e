// Quality of predictions: share of variance explained, and rank correlation.

type Values = ArrayLike<number>;

export function r2(predictions: Values, truth: Values): number {
  const list = Array.from(truth);
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  const residual = list.reduce((sum, value, k) => sum + (value - predictions[k]!) ** 2, 0);
  return 1 - residual / list.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** Spearman's ρ for values without ties. */
export function spearman(left: Values, right: Values): number {
  const [a, b] = [ranks(left), ranks(right)];
  const n = a.length;
  const squares = a.reduce((sum, rank, k) => sum + (rank - b[k]!) ** 2, 0);
  return 1 - (6 * squares) / (n * (n * n - 1));
}

function ranks(values: Values): number[] {
  const order = Array.from(values, (_, k) => k).sort((a, b) => values[a]! - values[b]!);
  const result = new Array<number>(values.length);
  order.forEach((at, rank) => {
    result[at] = rank;
  });
  return result;
}
