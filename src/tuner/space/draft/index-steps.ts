// Indices as sums of axes: how far each axis goes with a step. Away from the edges of a tensor, where they are clamped or wrapped around,
// indices are such sums too.

import { type Block, type Expr, isEdgeIndex, toAffine, withoutEdges } from "../../../compiler/index.ts";

/** Steps of the axes in an index. Null: it is no sum of axes. */
export function stepsOf(index: Expr): ReadonlyMap<string, number> | null {
  const { terms } = toAffine(index);
  const entries = terms.map(({ atom, coefficient }): [string, number] | null =>
    atom.kind === "var" ? [atom.name, coefficient] : null,
  );
  return entries.some((entry) => entry === null) ? null : new Map(entries as [string, number][]);
}

/** The same away from the edges, where at least half of the values are. */
export const stepsInside = (index: Expr, block: Block): ReturnType<typeof stepsOf> => stepsOf(inside(index, block));

/** The index without its edges. */
function inside(index: Expr, { axes }: Block): Expr {
  if (!isEdgeIndex(index)) return index;
  const plain = withoutEdges(index);
  const steps = stepsOf(plain);
  if (!steps) return index;
  const { constant } = toAffine(plain);
  const ends = axes.map(({ name, extent }) => (steps.get(name) ?? 0) * (extent - 1));
  const least = ends.reduce((sum, end) => sum + Math.min(0, end), constant);
  const most = ends.reduce((sum, end) => sum + Math.max(0, end), constant);
  return 2 * valuesAway(index, least, most) > most - least ? plain : index;
}

/** Counts the values from `least` to `most` that an index leaves as they are, or takes to one turn. */
function valuesAway(index: Expr, least: number, most: number): number {
  if (!isEdgeIndex(index)) return most - least + 1;
  const { op, left, right } = index;
  if (op === "mod") return Math.min(right.value, valuesAway(left, least, most));
  return op === "min"
    ? valuesAway(left, least, Math.min(most, right.value))
    : valuesAway(left, Math.max(least, right.value), most);
}
