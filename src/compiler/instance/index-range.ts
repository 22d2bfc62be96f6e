// The smallest and largest value that an integer expression can have (`affine/bounds.ts`), given the extents of the axes and
// the conditions that hold where it is evaluated. Never too narrow; it may be too wide.

import { assume as assumed, type ConditionalLanguage, isReachable as reachable } from "../affine/assume.ts";
import { boundsOfForm, boundsOfNode } from "../affine/bounds.ts";
import { type Interval, unbounded } from "../affine/interval.ts";
import * as known from "../affine/ranges.ts";
import { boundsFromSums } from "../affine/sum-facts.ts";
import { type DType, isFloat } from "../expr/dtype.ts";
import { children } from "../expr/expr-visit.ts";
import { type IndexForm, indexForm, scalarLanguage } from "../expr/linear-form.ts";
import type { Axis, ScalarExpr } from "../expr/scalar-expr.ts";
import { integerRange } from "../expr/scalar-math.ts";
import { isLarge, operandsFirst } from "../support/graph.ts";
import { remembered } from "../support/remembered.ts";

/** Facts at the place of an expression. */
export type Ranges = known.Ranges<ScalarExpr>;

export const rangesOfAxes = (axes: readonly Axis[]): Ranges =>
  axes.reduce<Ranges>(
    (ranges, { name, extent }) => known.withRange(ranges, name, { min: 0, max: extent - 1 }),
    known.noRanges(),
  );

/**
 * The range of `expr` at a place. i ∈ 0..9 with the fact i - 1 ≥ 0: `i - 1` is in 0..8. If the facts contradict each other
 * the place is never reached, and the range may be empty (min > max).
 */
export function rangeOf(expr: ScalarExpr, ranges: Ranges): Interval {
  const found = knownAt(ranges).get(expr);
  if (found) return found;
  // Nodes are visited from the leaves up, so that a deep expression needs no deep recursion.
  const order = isLarge(expr, children) ? operandsFirst(expr, children) : [expr];
  for (const node of order) if (!knownAt(ranges).has(node)) knownAt(ranges).set(node, findRange(node, ranges));
  return knownAt(ranges).get(expr) ?? valuesOf(expr.dtype);
}

/** Ranges that were found at a place: an index may use one value many times, and each is worked out once. */
const knownAt = remembered((_: Ranges) => new Map<ScalarExpr, Interval>());

/** The same for the atoms of sums. */
const atomsAt = remembered((_: Ranges) => new Map<ScalarExpr, Interval>());

const findRange = (expr: ScalarExpr, ranges: Ranges): Interval =>
  isFloat(expr.dtype) ? unbounded : fitting(boundsOfForm(language, indexForm(expr), ranges), expr.dtype);

/** The ranges where the value of a node that is neither a sum nor a constant, an element say, is known to be in the interval. */
export const assumeValue = (ranges: Ranges, node: ScalarExpr, interval: Interval): Ranges =>
  known.withFact(language, ranges, [{ atom: node, coefficient: 1 }], interval);

/** The range where `condition` has the value `holds`. */
export const assume = (ranges: Ranges, condition: ScalarExpr, holds: boolean): Ranges =>
  isLarge(condition, children) ? ranges : assumed(language, condition, holds, ranges);

/** Says whether the facts may all hold. False is a proof that they cannot; true proves nothing. */
export const isReachable = (ranges: Ranges): boolean => reachable(language, ranges);

/** The user's expressions as the analysis sees them. All facts are used, since an index that is not proven is an error. */
const language: ConditionalLanguage<ScalarExpr, never> = {
  ...scalarLanguage,
  condition(node) {
    if (node.kind === "unary") return node;
    if (node.kind !== "binary") return null;
    return node.op === "and" || node.op === "or" || node.left.dtype === "i32" ? node : null;
  },
  boundsOfLeaf,
  boundsOfOperand: rangeOf,
  boundsOfAtom(atom, ranges) {
    const known = atomsAt(ranges);
    const found = known.get(atom) ?? fitting(boundsOfNode(language, atom, ranges), atom.dtype);
    known.set(atom, found);
    return found;
  },
  boundsOfDivisor: rangeOf,
  boundsFromFacts,
  rangesOfSide,
};

/** A value that leaves its type wraps, and then nothing is known of it. */
export function fitting(interval: Interval, dtype: DType): Interval {
  const values = valuesOf(dtype);
  return interval.min >= values.min && interval.max <= values.max ? interval : values;
}

function valuesOf(dtype: DType): Interval {
  if (isFloat(dtype)) return unbounded;
  const [min, max] = integerRange[dtype as keyof typeof integerRange];
  return { min, max };
}

function boundsOfLeaf(leaf: ScalarExpr, ranges: Ranges): Interval {
  if (leaf.kind === "axis") return ranges.get(leaf.name) ?? { min: 0, max: 2 ** 31 - 1 };
  return leaf.kind === "cast" && !isFloat(leaf.operand.dtype) ? rangeOf(leaf.operand, ranges) : valuesOf(leaf.dtype);
}

function boundsFromFacts(form: IndexForm, ranges: Ranges): Interval | null {
  const simple = ranges.withoutSums();
  return boundsFromSums(language, form, sumsAt(ranges), (terms) =>
    boundsOfForm(language, { terms, constant: 0 }, simple),
  );
}

const sumsAt = remembered((ranges: Ranges) => ranges.facts().filter(({ terms }) => terms.length > 1));

/**
 * The ranges on a side of a choice; null where it is never taken. In a large expression the same value may stand under any
 * number of conditions, and no condition is taken for granted.
 */
function rangesOfSide(choice: ScalarExpr, side: boolean, ranges: Ranges): Ranges | null {
  if (choice.kind !== "select" || isLarge(choice, children)) return ranges;
  const known = sidesAt(ranges)[side ? "then" : "else"];
  const found = known.get(choice);
  if (found !== undefined) return found;
  const inside = assume(ranges, choice.condition, side);
  const sides = isReachable(inside) ? inside : null;
  known.set(choice, sides);
  return sides;
}

/** Places on the sides of choices, by the choice. */
const sidesAt = remembered((_: Ranges) => ({
  then: new Map<ScalarExpr, Ranges | null>(),
  else: new Map<ScalarExpr, Ranges | null>(),
}));
