// Features by which a cost model sees a candidate, as a value: names of columns, and points → rows. A search may choose
// from several kinds: the constraint variables (Heron), facts in no task's own terms, the lowered loops (Ansor), or
// several side by side.

import type { Assignment } from "../../compiler/index.ts";
import type { Template } from "../data/space.ts";
import { steadyLog2 } from "../support/steady.ts";
import { type FeatureMatrix, matrixOf } from "./cost-model.ts";

/** A point of a search space, as far as features are made of it: values of all variables of a template. */
export interface FeaturePoint {
  readonly template: { readonly template: Template };
  readonly assignment: Assignment;
}

export interface FeatureExtractor {
  readonly columns: readonly string[];
  readonly row: RowOf;
  readonly rows: (points: readonly FeaturePoint[]) => FeatureMatrix;
  /** Index of the column that shows a variable of the constraint model as such; −1: none does. */
  readonly columnOf: (variable: string) => number;
}

/** Returns the features of a point, one number a column. */
export type RowOf = (point: FeaturePoint) => ArrayLike<number>;

/** Makes an extractor that computes each point's row once: a search asks for those of its trials in every round. */
export function extractor(
  columns: readonly string[],
  rowOf: RowOf,
  columnOf: FeatureExtractor["columnOf"] = () => -1,
): FeatureExtractor {
  const known = new WeakMap<FeaturePoint, ArrayLike<number>>();
  const row: RowOf = (point) => {
    const found = known.get(point) ?? rowOf(point);
    known.set(point, found);
    return found;
  };
  return { columns, row, rows: (points) => matrixOf(points.map(row)), columnOf };
}

/** Feature of a variable that the point's template does not have: below log₂(0 + 1). */
const absent = -1;

/**
 * Features of decisions and derived variables: a 1 at the template among 0s, then log₂(value + 1) of each variable. The
 * same name in two templates is the same column. Needs no generated code (Heron §4.2).
 */
export function variableFeatures(templates: readonly Template[]): FeatureExtractor {
  const names = templates.map(({ name }) => name);
  const variables = [...new Set(templates.flatMap(({ model }) => model.variables.map(({ name }) => name)))];
  const row: RowOf = ({ template: { template }, assignment }) => [
    ...names.map((name) => (name === template.name ? 1 : 0)),
    ...variables.map((name) => logOf(assignment[name])),
  ];
  const places = new Map(variables.map((name, at) => [name, names.length + at]));
  return extractor([...names, ...variables], row, (variable) => places.get(variable) ?? -1);
}

const logOf = (value: number | undefined): number => (value === undefined ? absent : steadyLog2(value + 1));

/** Joins the columns of several extractors, side by side. */
export function sideBySide(parts: readonly FeatureExtractor[]): FeatureExtractor {
  const columns = parts.flatMap((part) => part.columns);
  const row: RowOf = (point) => parts.flatMap((part) => Array.from(part.row(point)));
  return extractor(columns, row, (variable) => {
    let before = 0;
    for (const part of parts) {
      const column = part.columnOf(variable);
      if (column >= 0) return before + column;
      before += part.columns.length;
    }
    return -1;
  });
}
