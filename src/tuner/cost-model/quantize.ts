// Columns of numbers → small bin numbers, so that a tree finds its splits by counting. Done once a fit.

import type { FeatureMatrix } from "./cost-model.ts";

export const mostBins = 64;

export interface QuantizedMatrix {
  readonly rows: number;
  readonly columns: number;
  /** Column-major: bin of row r in column c at c · rows + r. */
  readonly bins: Uint8Array;
  /**
   * Thresholds of each column, ascending: bin k holds the values ≤ thresholds[k] that no earlier bin holds, the last bin the
   * rest. Empty where the column tells no rows apart that an earlier column does not.
   */
  readonly thresholds: readonly Float64Array[];
}

export function quantize({ rows, columns, data }: FeatureMatrix): QuantizedMatrix {
  const bins = new Uint8Array(rows * columns);
  const thresholds: Float64Array[] = [];
  const seen = new Set<string>();
  for (let c = 0; c < columns; c++) {
    const column = Float64Array.from({ length: rows }, (_, r) => data[r * columns + c]!);
    const cuts = cutsOf(column);
    const own = bins.subarray(c * rows, (c + 1) * rows);
    own.forEach((_, r) => {
      own[r] = binOf(cuts, column[r]!);
    });
    // One that tells rows apart as an earlier one does would never be asked: of equal splits the earlier column's is taken.
    const key = Buffer.from(own).toString("latin1");
    thresholds.push(seen.has(key) ? noCuts : cuts);
    seen.add(key);
  }
  return { rows, columns, bins, thresholds };
}

const noCuts = new Float64Array();

/** Returns cuts halfway between neighbouring values: all of them, or those at equal shares of the rows. */
function cutsOf(column: Float64Array): Float64Array {
  const sorted = column.slice().sort();
  const distinct = sorted.filter((value, k) => k === 0 || value !== sorted[k - 1]);
  const edges = distinct.length <= mostBins ? distinct : quantiles(sorted);
  return Float64Array.from({ length: edges.length - 1 }, (_, k) => (edges[k]! + edges[k + 1]!) / 2);
}

function quantiles(sorted: Float64Array): Float64Array {
  const picked = Float64Array.from({ length: mostBins }, (_, k) => sorted[Math.floor((k * sorted.length) / mostBins)]!);
  return picked.filter((value, k) => k === 0 || value !== picked[k - 1]);
}

function binOf(cuts: Float64Array, value: number): number {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= cuts[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}
