// One tree of a boosted model: splits rows so that a Newton step of each leaf lowers the loss most (Chen and Guestrin,
// XGBoost, KDD 2016, eq. 6 and 7), found on histograms of gradients.

import { mostBins, type QuantizedMatrix } from "./quantize.ts";

/** Nodes in parallel arrays; plain numbers, so that it is JSON. */
export interface RegressionTree {
  /** Column that the node compares; −1: a leaf. */
  readonly column: readonly number[];
  /** Rows with a value ≤ this go left. */
  readonly threshold: readonly number[];
  /** Left child; the right one follows it. */
  readonly left: readonly number[];
  /** Value that a leaf adds. */
  readonly value: readonly number[];
}

export interface TreeOptions {
  readonly maxDepth: number;
  /** L2 penalty on leaf values. */
  readonly lambda: number;
  /** Least curvature in a leaf: for squared errors, its number of rows. */
  readonly minLeafWeight: number;
  /** Factor on leaf values. */
  readonly learningRate: number;
}

/** First and second derivatives of the loss by the prediction, one a row. */
export interface Gradients {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

interface Split {
  readonly column: number;
  readonly bin: number;
  readonly gain: number;
}

/** Grows a tree, and adds to `gains` what each column's splits gained. */
export function growTree(
  matrix: QuantizedMatrix,
  gradients: Gradients,
  options: TreeOptions,
  gains: Float64Array,
): RegressionTree {
  return new Grower(matrix, gradients, options, gains).grow();
}

class Grower {
  readonly #matrix: QuantizedMatrix;
  readonly #gradients: Gradients;
  readonly #options: TreeOptions;
  readonly #gains: Float64Array;
  /** Row numbers; each node owns a contiguous part. */
  readonly #order: Int32Array;
  readonly #first = new Float64Array(mostBins);
  readonly #second = new Float64Array(mostBins);
  readonly #tree = { column: [0], threshold: [0], left: [0], value: [0] };

  constructor(matrix: QuantizedMatrix, gradients: Gradients, options: TreeOptions, gains: Float64Array) {
    this.#matrix = matrix;
    this.#gradients = gradients;
    this.#options = options;
    this.#gains = gains;
    this.#order = Int32Array.from({ length: matrix.rows }, (_, r) => r);
  }

  grow(): RegressionTree {
    this.#node(0, 0, this.#matrix.rows, 0);
    return this.#tree;
  }

  #node(at: number, from: number, to: number, depth: number): void {
    const [first, second] = this.#sums(from, to);
    const split = depth < this.#options.maxDepth ? this.#bestSplit(from, to, first, second) : null;
    if (!split) {
      this.#set(at, -1, 0, 0, (-first / (second + this.#options.lambda)) * this.#options.learningRate);
      return;
    }
    this.#gains[split.column]! += split.gain;
    const middle = this.#partition(from, to, split);
    const left = this.#tree.column.length;
    this.#set(left + 1, -1, 0, 0, 0);
    this.#set(at, split.column, this.#matrix.thresholds[split.column]![split.bin]!, left, 0);
    this.#set(left, -1, 0, 0, 0);
    this.#node(left, from, middle, depth + 1);
    this.#node(left + 1, middle, to, depth + 1);
  }

  #set(at: number, column: number, threshold: number, left: number, value: number): void {
    this.#tree.column[at] = column;
    this.#tree.threshold[at] = threshold;
    this.#tree.left[at] = left;
    this.#tree.value[at] = value;
  }

  #sums(from: number, to: number): [number, number] {
    let [first, second] = [0, 0];
    for (let k = from; k < to; k++) {
      first += this.#gradients.first[this.#order[k]!]!;
      second += this.#gradients.second[this.#order[k]!]!;
    }
    return [first, second];
  }

  #bestSplit(from: number, to: number, first: number, second: number): Split | null {
    // Too light for two leaves.
    if (second < 2 * this.#options.minLeafWeight) return null;
    let best: Split | null = null;
    for (let column = 0; column < this.#matrix.columns; column++) {
      const split = this.#bestCut(column, from, to, first, second);
      // The margin makes ties go to the earlier column for every order of summation and its rounding.
      if (split && split.gain > (best?.gain ?? 0) * (1 + 1e-12) + 1e-12) best = split;
    }
    return best;
  }

  #bestCut(column: number, from: number, to: number, first: number, second: number): Split | null {
    const cuts = this.#matrix.thresholds[column]!.length;
    if (cuts === 0) return null;
    this.#fillHistogram(column, from, to, cuts + 1);
    const { lambda, minLeafWeight } = this.#options;
    const [firsts, seconds] = [this.#first, this.#second];
    const unsplit = first ** 2 / (second + lambda);
    let [leftFirst, leftSecond, bin, gain] = [0, 0, -1, 0];
    for (let k = 0; k < cuts; k++) {
      // An empty bin: the cut before it says the same. In small nodes most are.
      if (firsts[k] === 0 && seconds[k] === 0) continue;
      leftFirst += firsts[k]!;
      leftSecond += seconds[k]!;
      const rightFirst = first - leftFirst;
      const rightSecond = second - leftSecond;
      if (leftSecond < minLeafWeight || rightSecond < minLeafWeight) continue;
      const split =
        (leftFirst * leftFirst) / (leftSecond + lambda) + (rightFirst * rightFirst) / (rightSecond + lambda) - unsplit;
      if (split > gain) {
        gain = split;
        bin = k;
      }
    }
    return bin < 0 ? null : { column, bin, gain };
  }

  #fillHistogram(column: number, from: number, to: number, bins: number): void {
    const [firsts, seconds, order] = [this.#first, this.#second, this.#order];
    const { first, second } = this.#gradients;
    const { bins: binsOf, rows } = this.#matrix;
    firsts.fill(0, 0, bins);
    seconds.fill(0, 0, bins);
    for (let k = from; k < to; k++) {
      const row = order[k]!;
      const bin = binsOf[column * rows + row]!;
      firsts[bin]! += first[row]!;
      seconds[bin]! += second[row]!;
    }
  }

  /** Moves rows of the left child to the front, both halves in their old order. Returns where the right one starts. */
  #partition(from: number, to: number, { column, bin }: Split): number {
    const start = column * this.#matrix.rows;
    const rows = this.#order.slice(from, to);
    const goesLeft = (row: number): boolean => this.#matrix.bins[start + row]! <= bin;
    const left = rows.filter(goesLeft);
    this.#order.set(left, from);
    this.#order.set(
      rows.filter((row) => !goesLeft(row)),
      from + left.length,
    );
    return from + left.length;
  }
}

/** Adds the tree's prediction for each row. */
export function addTree(tree: RegressionTree, data: Float64Array, columns: number, to: Float64Array): void {
  const { column, threshold, left, value } = tree;
  for (let row = 0; row < to.length; row++) {
    let at = 0;
    while (column[at]! >= 0) at = data[row * columns + column[at]!]! <= threshold[at]! ? left[at]! : left[at]! + 1;
    to[row]! += value[at]!;
  }
}
