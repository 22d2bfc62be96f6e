// The interface of models that learn from measurements which candidates are fast: rows of features with scores → a predictor.

/** Row-major; every row has the same columns. */
export interface FeatureMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;
}

export interface TrainingSet {
  readonly features: FeatureMatrix;
  /** One a row: 1 for the best candidate, less for slower ones, 0 for failures. */
  readonly scores: Float64Array;
  /** Score that each row is believed to have before learning; the model learns what to add to it. */
  readonly base: Float64Array;
  /** Weight of each row, 1 on average; default: 1 for all. */
  readonly weights?: Float64Array;
}

export interface Predictor {
  /** Returns what to add to the base of each row. */
  readonly predict: (features: FeatureMatrix) => Float64Array;
  /** Share of each column in what was learned. The shares sum to 1, or are all 0 when nothing was learned. */
  readonly importance: Float64Array;
}

export interface CostModel {
  readonly name: string;
  /** The same training set gives the same predictor. */
  readonly fit: (set: TrainingSet) => Predictor;
}

/** Makes a matrix of rows of equal length. */
export function matrixOf(rows: readonly ArrayLike<number>[]): FeatureMatrix {
  const columns = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * columns);
  rows.forEach((row, k) => {
    data.set(row, k * columns);
  });
  return { rows: rows.length, columns, data };
}
