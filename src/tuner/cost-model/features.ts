// What a cost model sees of a candidate: log₂ of every variable of its constraint model, decisions and derived ones
// alike, and which template it belongs to. No code is generated for it (Heron §4.2).

import type { Assignment } from "../../compiler/index.ts";
import type { Template } from "../space/space.ts";
import { steadyLog2 } from "./steady.ts";

/** The columns of a space's feature rows. */
export interface FeatureLayout {
  readonly templates: readonly string[];
  /** Variables of all templates. The same name in two templates is the same column. */
  readonly variables: readonly string[];
}

export function featureLayout(templates: readonly Template[]): FeatureLayout {
  const names = templates.flatMap(({ model }) => model.variables.map(({ name }) => name));
  return { templates: templates.map(({ name }) => name), variables: [...new Set(names)] };
}

/** In a column whose variable the template does not have: below log₂(0 + 1). */
const absent = -1;

/** One row: a 1 at its template among 0s, then log₂(value + 1) of each variable. */
export function featureRow(layout: FeatureLayout, template: string, assignment: Assignment): Float64Array {
  const isTemplate = layout.templates.map((name) => (name === template ? 1 : 0));
  const logs = layout.variables.map((name) => {
    const value = assignment[name];
    return value === undefined ? absent : steadyLog2(value + 1);
  });
  return Float64Array.from([...isTemplate, ...logs]);
}

/** The column of a variable. */
export function columnOf(layout: FeatureLayout, variable: string): number {
  return layout.templates.length + layout.variables.indexOf(variable);
}
