// Quality of an order by predictions: Spearman's ρ with ties, the share of the best that is found, and how good the
// best one found is.

type Values = ArrayLike<number>;

/** Pearson's correlation of the ranks; equal values share their mean rank. */
export function spearman(left: Values, right: Values): number {
  const [a, b] = [ranks(left), ranks(right)];
  const mean = (a.length - 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((rank, at) => {
    ab += (rank - mean) * (b[at]! - mean);
    aa += (rank - mean) ** 2;
    bb += (b[at]! - mean) ** 2;
  });
  return aa * bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

function ranks(values: Values): number[] {
  const order = Array.from(values, (_, at) => at).sort((x, y) => values[x]! - values[y]!);
  const result = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let at = from; at < to; at++) result[order[at]!] = (from + to - 1) / 2;
    from = to;
  }
  return result;
}

/** Places of the `count` highest scores. */
export const topOf = (scores: Values, count: number): readonly number[] =>
  Array.from(scores, (_, at) => at)
    .sort((x, y) => scores[y]! - scores[x]!)
    .slice(0, count);

/** Share of the truly best `count` among the `count` that are predicted to be. */
export function recall(predictions: Values, truth: Values, count: number): number {
  const best = new Set(topOf(truth, count));
  return topOf(predictions, count).filter((at) => best.has(at)).length / Math.min(count, truth.length);
}

/** Time of the best of all / time of the best among the first `count`: 1 when it is among them. */
export function bestOfFirst(predictions: Values, ns: Values, count: number): number {
  const times = Array.from(ns);
  const found = topOf(predictions, count).map((at) => times[at]!);
  return Math.min(...times) / Math.min(...found);
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
