// What a cost model sees of a candidate, as a value: names of columns, and points → rows. Kinds that a search may choose
// from: the constraint variables (Heron), facts in no task's own terms, the lowered loops (Ansor), or several side by side.

import type { Assignment } from "../../compiler/index.ts";
import type { Template } from "../space/space.ts";
import { type FeatureMatrix, matrixOf } from "./cost-model.ts";
import { steadyLog2 } from "./steady.ts";

/** A point of a search space, as far as features are made of it: values of all variables of a template. */
export interface FeaturePoint {
  readonly template: { readonly template: Template };
  readonly assignment: Assignment;
}

export interface FeatureExtractor {
  readonly columns: readonly string[];
  readonly rows: (points: readonly FeaturePoint[]) => FeatureMatrix;
  /** Where a variable of the constraint model is seen as such; −1: nowhere. */
  readonly columnOf: (variable: string) => number;
}

/** Of a point, one number a column. */
export type RowOf = (point: FeaturePoint) => ArrayLike<number>;

/** An extractor of columns that are no variables. */
export const extractor = (columns: readonly string[], rowOf: RowOf): FeatureExtractor => ({
  columns,
  rows: (points) => matrixOf(points.map(rowOf)),
  columnOf: () => -1,
});

/** In a column whose variable the template does not have: below log₂(0 + 1). */
const absent = -1;

/**
 * A 1 at the template among 0s, then log₂(value + 1) of each variable, decisions and derived ones alike. The same name in
 * two templates is the same column. No code is generated for it (Heron §4.2).
 */
export function variableFeatures(templates: readonly Template[]): FeatureExtractor {
  const names = templates.map(({ name }) => name);
  const variables = [...new Set(templates.flatMap(({ model }) => model.variables.map(({ name }) => name)))];
  const row: RowOf = ({ template: { template }, assignment }) => [
    ...names.map((name) => (name === template.name ? 1 : 0)),
    ...variables.map((name) => logOf(assignment[name])),
  ];
  const places = new Map(variables.map((name, at) => [name, names.length + at]));
  return {
    columns: [...names, ...variables],
    rows: (points) => matrixOf(points.map(row)),
    columnOf: (variable) => places.get(variable) ?? -1,
  };
}

const logOf = (value: number | undefined): number => (value === undefined ? absent : steadyLog2(value + 1));

/** The columns of several, side by side. */
export function sideBySide(parts: readonly FeatureExtractor[]): FeatureExtractor {
  return {
    columns: parts.flatMap(({ columns }) => columns),
    rows: (points) => {
      const matrices = parts.map((part) => part.rows(points));
      return matrixOf(points.map((_, at) => matrices.flatMap((matrix) => [...rowIn(matrix, at)])));
    },
    columnOf(variable) {
      let before = 0;
      for (const part of parts) {
        const column = part.columnOf(variable);
        if (column >= 0) return before + column;
        before += part.columns.length;
      }
      return -1;
    },
  };
}

const rowIn = ({ data, columns }: FeatureMatrix, at: number): Float64Array =>
  data.subarray(at * columns, (at + 1) * columns);
