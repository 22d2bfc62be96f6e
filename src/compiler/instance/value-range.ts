// The smallest and largest value that the integer stages of an operator can have, worked out from its inputs on. Never too narrow; it
// may be too wide. What a sum of few bytes is known not to exceed decides how many of them go into a vector.

import { type Interval, intersect, unbounded, union } from "../affine/interval.ts";
import type { ComputeDef, Stage } from "../expr/compute-def.ts";
import { isInteger } from "../expr/dtype.ts";
import { readsIn } from "../expr/expr-visit.ts";
import type { ScalarExpr } from "../expr/scalar-expr.ts";
import { assumeValue, fitting, type Ranges, rangeOf, rangesOfAxes } from "./index-range.ts";
import { multilinearRange } from "./multilinear-range.ts";

/** Interval of the values of each integer stage that is known so far. */
export type StageValues = ReadonlyMap<string, Interval>;

/** Returns the interval of the values that an integer expression in the body of the stage can have. */
export function valuesIn(stage: Stage, known: StageValues): (expr: ScalarExpr) => Interval {
  const around = rangesOfAxes([...stage.axes, ...(stage.reduce?.axes ?? [])]);
  const ranges = readsIn(stage.body).reduce<Ranges>((ranges, read) => {
    const values = known.get(read.tensor);
    return values ? assumeValue(ranges, read, values) : ranges;
  }, around);
  return (expr) => {
    const range = rangeOf(expr, ranges);
    const exact = isSum(expr) ? multilinearRange(expr, (value) => rangeOf(value, ranges)) : null;
    return exact ? intersect(range, exact) : range;
  };
}

const isSum = (expr: ScalarExpr): boolean =>
  expr.kind === "binary" && expr.dtype === "i32" && (expr.op === "add" || expr.op === "sub");

/** Returns the intervals of all integer stages. */
export function stageValues({ stages }: Pick<ComputeDef, "stages">): StageValues {
  const known = new Map<string, Interval>();
  for (const stage of stages) if (isInteger(stage.dtype)) known.set(stage.name, valuesOf(stage, known));
  return known;
}

/** Values of a stage, those of its unfinished sums among them. */
function valuesOf(stage: Stage, known: StageValues): Interval {
  const { body, reduce, dtype } = stage;
  const element = valuesIn(stage, known)(body);
  if (!reduce || reduce.reducer === "min" || reduce.reducer === "max") return element;
  const terms = reduce.axes.reduce((product, { extent }) => product * extent, 1);
  const sum = union({ min: 0, max: 0 }, { min: element.min * terms, max: element.max * terms });
  return reduce.reducer === "sum" ? fitting(sum, dtype) : fitting(unbounded, dtype);
}
